// Package mongostore is the engine for MongoDB: the documents of package counters as documents of a server, a replica
// set, or a sharded cluster. It is the only package that imports the driver.
//
//	database stats-2026, one per year
//	   sites-nov     {_id, base, path,        total, days:  {"1": 0, … "30": 0}, w: {"<collector>": token}}
//	   hours-nov     {_id, base, day,         total, hours: {"0": 0, … "23": 0}, w}
//	   sections-nov  {_id, base, depth, path, total, days,                       w}
//	   attrs-nov     {_id, base, n, v,        total, days,                       w}
//	   visitors-nov  {_id, base, day,         r: {"17": 4},                      w}
//	database precount
//	   sites, jobs, … {_id, rev, …the fields of the record}
//	   rejected       {_id, database, collection, document, collector, token, inc, max, code, reason, at}
//
//	Apply ──> plan: check all, name all, sort ──> bulks of 2,500
//	            │
//	            ▼      bulk of {_id, w.c: {$not: {$gte: token}}} {$inc: …, $max: {w.c: token}}
//	         update ── as many matched as were sent? ──────────────────────────> done
//	            │ fewer: some do not exist, or are applied already
//	            ▼
//	         states ── ask for those that are not known to exist
//	            │
//	            ├─ has the token ──> applied before, by us or by a dead process
//	            ├─ missing ────────> insert the template with the numbers and the token in it
//	            └─ without it ─────> next round (somebody inserted it in between)
//	            a write error ─────> next round, or set aside (Rejection)
//
// Exactly once. A document remembers each collector's newest token, so an update that is sent again matches nothing. A
// document that does not exist is inserted together with its numbers and the token: either it is there and applied, or
// it is not there; and if somebody else inserts it first, the insert fails and the update is sent. Neither depends on
// how much of a bulk a server does before it dies, nor on answers that are lost, nor on bulks that are still at work
// when they are sent again. No error is ambiguous; an upsert's duplicate key means two things. Bulks are sorted by _id,
// because two of them that lock the same documents in opposite orders deadlock.
//
// Why not upserts: measured in one run on DocumentDB, 31-day templates, 10,000 updates, 2,500 in a bulk:
//
//	                                           new      existing   again    fields in the template's order
//	$inc, $setOnInsert, upsert                 14,000/s 21,000/s   16,600/s no (10,000 errors when sent again)
//	pipeline with $mergeObjects, upsert        17,000/s 17,400/s   16,100/s yes; turns an overflow into a double
//	update, then insert what is missing (this) 21,000/s 24,800/s   33,800/s yes
//
// and an update of an existing document takes 150 bytes instead of 900.
package mongostore
