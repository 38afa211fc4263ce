// Package mongotest gives tests a MongoDB-compatible server that they may kill: FerretDB in front of PostgreSQL with the
// DocumentDB extension, started by server.sh; or the real MongoDB that PRECOUNT_TEST_MONGODB names, which is not killed.
//
//	Start(t) ── PRECOUNT_TEST_MONGODB set? ── yes ──> that server; one test at a time has it
//	   │                                              (a lock between processes)
//	   no
//	   │
//	server.sh start DIR  (installs first, if it can)     or testenv.LeaveOut
//	   │
//	Server{URI} ── Empty, Kill, KillFront, KillBack, Restart
//	   │
//	driver ──> Proxy ──> FerretDB ("front") ──> PostgreSQL ("back")
//	           delays, cuts, swallows
//
// Only tests import it. Every server is a test's own, and is stopped and deleted at its end.
package mongotest
