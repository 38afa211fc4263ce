// Package archtest holds, as tests, what the project promises about its own shape.
//
//	cmd, bench
//	   │  collector   preallocator   reporter      never each other
//	   │      └────────────┬────────────┘
//	   │       journal   sites   pixel
//	   │           └───────┬──────┘
//	   │               counters                    imports none of ours
//	   └─ sqlitestore, mongostore ──┘              import only counters; only cmd, bench and tests import them
//
// It has no code but tests.
package archtest
