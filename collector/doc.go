// Package collector makes a request a counted hit. The steps stand in files of their names:
//
//	request ──> handler.go    take: parse, find the site, decide where it counts, journal; then answer the GIF
//	              │ query.go      strict parsing of the query, no allocation
//	              │ url.go        the page's address in url= and Referer
//	              │ page.go       one spelling of a page's path
//	              │ caps.go       how many pages and sections a site may have; beyond: /(other)
//	              │ record.go     the hit as bytes
//	              ▼
//	        internal/journal  segments on disk
//	              │
//	              │ coalesce.go   a sealed segment becomes a batch: what, how often
//	              │ derive.go     pages' documents, hours, sections
//	              ▼
//	              │ backlog.go    tell retention which months may still be written
//	          flush.go        apply to the store, again and again until it is done; then recycle the segment
//
// Where a hit counts is decided before it is journaled: a segment gives the same batch whenever it is read, by whatever
// process with whatever settings. ledger.go counts what became of each hit; metrics.go shows it.
package collector
