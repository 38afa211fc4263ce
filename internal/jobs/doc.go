// Package jobs is maintenance that exactly one of many processes does, step by step, and that the next one finishes if it
// dies in between.
//
//	Take("retain-2025-10") ──lease free──> Job{State, Progress} ──Save──> Save ──> Done, or Fail
//	     │                                        ▲
//	     └─ lease.ErrHeld: another process        └─ a process that died in the middle: its lease runs out, the
//	        is at it                                 next Take finds the Progress it saved
//
// A job is one record of the collection counters.JobsRecords: {_id, kind, state, progress, error, created, changed, owner,
// lease_until}. There is one for each month and kind of work.
package jobs
