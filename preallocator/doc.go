// Package preallocator makes next month's documents before its first hit: zeroed templates for what was busy this month.
//
//	this month's documents ──plan──> keys that next month lacks ──insert if absent──> sites-dec, hours-dec, …
//
// Counts never depend on it: a hit on a page without a template inserts a whole one.
package preallocator
