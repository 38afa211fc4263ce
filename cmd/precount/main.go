package main

import (
	"os"
	_ "time/tzdata" // sites have time zones also where the machine has no zone files
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }
