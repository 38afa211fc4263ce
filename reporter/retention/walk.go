package retention

import (
	"iter"

	"precount/internal/counters"
)

// A walk looks for documents in a sequence that is in the order of _ids, for ids in that same order: one pass for all.
type walk struct {
	next    func() (counters.Document, error, bool)
	stop    func()
	current counters.Document
	some    bool // there is a current document
	begun   bool
}

func newWalk(seq iter.Seq2[counters.Document, error]) *walk {
	next, stop := iter.Pull2(seq)
	return &walk{next: next, stop: stop}
}

// find returns the document with the id, or nil.
func (w *walk) find(id string) (*counters.Document, error) {
	for !w.begun || w.some && w.current.Key.ID() < id {
		w.begun = true
		var err error
		if w.current, err, w.some = w.next(); err != nil {
			w.some = false
			return nil, err
		}
	}
	if w.some && w.current.Key.ID() == id {
		return &w.current, nil
	}
	return nil, nil
}
