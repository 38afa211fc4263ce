// Package storetest is the contract of a store, as tests that every engine passes. An engine's own test is one line:
//
//	func TestContract(t *testing.T) { storetest.Run(t, open) }
//
//	Run ──> one subtest per sentence of the contract, each on a store of its own
//	          │
//	          ├─ apply.go         what a batch does, and that it does so once
//	          ├─ crowd.go         the same with many at a time
//	          ├─ cancel.go        the same with contexts that end
//	          ├─ read.go, top.go  what readers see of it
//	          ├─ drop.go          templates, collections, dropping
//	          ├─ restore.go       documents that come back with their counts
//	          ├─ records.go       compare and swap
//	          └─ property.go      any interleaving of it all gives what model.go gives
//
// The model is a map. It knows nothing of tokens: the tests tell it of a batch once.
//
// What a batch means after one of its collections was dropped is no part of the contract: an engine that keeps tokens
// in the documents applies it again, one that keeps them beside does not.
package storetest
