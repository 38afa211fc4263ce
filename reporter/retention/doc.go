// Package retention puts old months away: it archives them, proves the archive, keeps their totals, and drops the rest; and it
// brings them back.
//
//	months.go   which months are past --keep           documents.go  a document as a line of MongoDB extended JSON
//	plan.go     what would go (--dry-run)              archive.go    lines, compressed, into files, whole or not at all
//	schedule.go the same every day, in serve           manifest.go   what is in the files, sealed
//	                                                   verify.go     files against manifest and against the store
//	steps.go: one month, one job                       rollup.go     what is kept for ever
//
//	 closed ──> archived ──> verified ──> rolled up ──> dropped ──> database ──> audited
//	   │            │            │             │            │           │
//	   │            │            │             │            │           the year's, when it is empty and over
//	   │            │            │             │            collection by collection, "hours" last
//	   │            │            │             one record per site and month
//	   │            │            every document read back and compared with the store's, then 2025-10 gets its name
//	   │            .2025-10.partial
//	   no collector holds hits of the month; hits for it are refused from now on (internal/horizon)
//
// Each step can be repeated, and the job remembers the last one done. Until the first collection is dropped a new process
// begins anew, so nothing is dropped that this process did not compare. From then on it goes on, and compares what is left.
//
//	<archive>/2025-10/manifest.json          month, engine, version, created; of each collection: documents, total, bytes,
//	                                         SHA-256; at its end the SHA-256 of all that
//	<archive>/2025-10/sites-oct.jsonl.zst    {"_id":"org.mongodb/docs/","base":…} one document a line, by _id; zstd
//
// restore.go goes the other way: manifest, all files, then documents, which must be absent or equal.
package retention
