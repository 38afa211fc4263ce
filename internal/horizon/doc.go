// Package horizon is the line between the months that are kept and those that retention has put away, as all processes of
// an installation see it.
//
//	collection "retention":  {_id: "horizon", dropped_before: "2025-11", restored: ["2025-10"]}
//	                         {_id: "collector|c1a2…", oldest: "2026-11", changed}
//
//	collector  Announce(oldest) ──> stored ──> then reads the line: months beyond it are not written any more
//	retention  Close(month) ──────> stored ──> then reads what collectors announced: a month that one of them may
//	                                           still write is not dropped
//
// Each side stores before it reads, so whichever way the two interleave at least one of them sees the other: a batch that is
// on its way into a month and the drop of that month never miss each other, without a clock and without a lock between them.
package horizon
