// Package browsertest drives a real headless Chromium in tests, and notices all that a page must not cause.
//
//	New(t) ──> Open(address, charts) ──> Quiet(own server)
//	              │                        └─ no message on the console, no failed request, no dialog,
//	              └─ waits until the charts    no request to any other server
//	                 have pixels
//
// Only tests import it.
package browsertest
