// Package preallocator has next month's documents ready, with all their zeros, before the first hit of the month comes.
//
//	schedule.go   when: the last days of each site's own month, in steps; at once where the running month is unprepared
//	      │
//	      ▼
//	  run.go ──due──> prepare.go   one month, some sites, under the job "preallocate-2026-12"
//	                     │  cluster.go   new collections of a sharded cluster: shard.go, split.go
//	                     │
//	                     │  for each site:
//	                     ├─ plan.go      what is missing    source month: Scan ──busiest.go──┐
//	                     │                                  target month: IDs ───────────────┤──> keys
//	                     │                                  wish.go: what the operator wants ┘
//	                     └─ insert-if-absent, 1,000 at a time, pace.go
//
// Counts never depend on it: a hit on a page without a template inserts a whole document all the same. So everything
// here may be repeated, cut off, or done by two processes at once. All state stands in the store: what is there is not
// inserted again, and the hours of a month's last day, which are inserted last, say that a site is done.
package preallocator
