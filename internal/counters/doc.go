// Package counters is the vocabulary that all of precount shares: what a month is, which collections it has, what a
// document is called, which zeros it starts with, and what a batch adds to it. It imports no driver and does no I/O.
//
//	time ──> Month{2026, November}
//	             │
//	             ├─ Database()  "stats-2026"
//	             └─ Collection{Month, Pages}  Name() "sites-nov"
//	                   │
//	                   └─ Key{Collection, Base, Path, …}   one document
//	                         ├─ ID()        "org.mongodb/docs/"
//	                         ├─ Identity()  base, path           set once, on insert
//	                         └─ Counters()  total, days.1 … 30   zero on insert, then only incremented
//
//	Batch{Collector, Token}
//	   └─ Update{Key, Inc: total+3 days.20+3, Max: r.17≥4}       at most one for each document
//
// The documents are the project's public contract; DESIGN, section 2, draws them.
package counters
