// Command bench measures precount against its floor and its neighbours, side by side on one machine in one run:
//
//	load.go ──64 or 256 connections──> (a) a bare fasthttp handler that answers the same GIF    bare.go
//	                                   (b) precount --ack written                               process.go
//	                                   (c) precount --ack synced
//	                                   (d) nginx empty_gif with an access log, if installed
//
//	endpoint.go   requests per second, latencies, resident memory, updates per hit; (b)/(a) and (c)/(a)
//	drain.go      a million journaled hits until all are in the store, with each engine
//	engine.go     batches and queries of each engine by itself
//	retention.go  a month dropped, against the same rows deleted by a query
//	rollover.go   each engine's flushes around a month's end, with and without the preallocator, in process with a clock
//	              of its own; 100,000 templates. timed.go: the store that measures
//
// Machines are shared and noisy: absolute figures mean little, ratios within one run mean something. The rounds of all
// candidates take turns, and medians are compared. Results are printed as Markdown for RESULTS.md.
package main
