// Package lease lets exactly one of many processes hold a name, over records that every engine has.
//
//	Acquire ──Put if unchanged──> {owner, place, lease_until}
//	   │                              │
//	   │ held by another, not yet     │ renewed every third of the TTL by Keep
//	   │ run out: ErrHeld             ▼
//	   └──────────────── run out, released, or its holder died in this very place: taken over
//
// A lease is a promise by the clock: holders' clocks must agree to within a third of the TTL. What a holder does under it must
// be safe to repeat all the same, because a process that hangs for longer than the TTL finds out only afterwards.
package lease
