package main

import "time"

// remindEvery is the time between log lines about something that goes on.
const remindEvery = time.Minute

// A reminder says when a line about something that goes on is due: at once, then every remindEvery. It is for one goroutine.
type reminder struct{ told time.Time }

func (r *reminder) due() bool {
	if time.Since(r.told) < remindEvery {
		return false
	}
	r.told = time.Now()
	return true
}
