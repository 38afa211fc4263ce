// Command precount is the whole program: main.go is tiny, root.go holds what all subcommands share, and each subcommand
// has a file of its name.
//
//	root.go      flags from the environment, exit codes, logs, the list of subcommands
//	serve.go     collect and report in one process: what is opened and closed in which order
//	server.go    HTTP: limits, which address goes to whom
//	site.go      precount site add|list|show|set|remove
//	report.go    precount report
//	retain.go    precount retain, and serve --keep
//	restore.go   precount restore
//	preallocate.go  precount preallocate, and the same within serve
//	store.go     which engine --store means
package main
