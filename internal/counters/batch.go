package counters

import "errors"

// A Delta is one field of an update with its number: what to add, or what the field must be at the least.
type Delta struct {
	Field Field
	N     int64
}

// An Update changes one document. If the document does not exist, it is inserted first with its Identity and with all
// its Counters zero, so that an update never adds a field to an existing document.
type Update struct {
	Key Key
	Inc []Delta // added; fields of Collection.Counters, each at most once
	Max []Delta // raised to, if below; registers, each at most once
}

// A Batch is what one journal segment adds to the store. It holds at most one Update for each document, because a
// document remembers only the newest token of each collector.
//
// The contract of every store: after Apply(ctx, batch) returned nil, each update of the batch is applied exactly once,
// however often the same batch was tried before, whole or in part, by this process or a dead one.
type Batch struct {
	Collector string // random id of the journal that the hits stood in
	Token     uint64 // number of the segment; 1 or more, strictly increasing per collector
	Updates   []Update
}

// Errors that stores return, wrapped, with the name of the file or server and the next step in the text.
var (
	// ErrDamaged says that stored data cannot be read; retrying does not help, somebody must look.
	ErrDamaged = errors.New("store is damaged")
	// ErrConflict says that a Record was changed by somebody else since it was read.
	ErrConflict = errors.New("record was changed by another process")
	// ErrNotFound says that there is no such Record.
	ErrNotFound = errors.New("no such record")
	// ErrDiffers says that a document to be restored is there already, with other counts. It was not changed.
	ErrDiffers = errors.New("document is there with other counts")
)
