package journal

import (
	"os"
	"runtime/debug"
)

// walker steps through a segment's bytes from record to record. Same bytes, same records, however often.
type walker struct {
	data  []byte
	key   key
	limit int64 // no record reaches beyond
	at    int64 // where the next record is expected

	end     int64 // behind the last sound record
	count   uint64
	bad     int64 // first offset at which a record was expected and not found; -1 if none
	damage  error // why the bytes cannot be all that was written; nil for a sound segment and for a torn tail
	pending []byte
}

func newWalker(data []byte, k key, limit int64) *walker {
	return &walker{data: data, key: k, limit: min(limit, int64(len(data))), at: dataAt, end: dataAt, bad: -1}
}

// next returns the next sound record, or nil at the end. The record is a copy, valid until the following call.
//
// The bytes may be a mapping whose file was cut or whose disk fails: a page that cannot be read is damage like any other.
func (w *walker) next() []byte {
	for {
		ok, err := w.step()
		if err == nil {
			if !ok {
				return nil
			}
			return w.pending
		}
		w.skipPage(err)
	}
}

// step moves to the next sound record and copies it. Its error is a fault at the address of an unreadable page.
func (w *walker) step() (ok bool, err error) {
	defer catchFault(debug.SetPanicOnFault(true), &err)
	for w.at < w.limit {
		if record := w.key.record(w.data[w.at:w.limit]); record != nil {
			w.pending = append(w.pending[:0], record...)
			w.at += recordSize(len(record))
			w.end = w.at
			w.count++
			return true, nil
		}
		if w.bad < 0 {
			w.bad = w.at
		}
		if !w.search() {
			break
		}
		w.damaged(errRecord)
	}
	return false, nil
}

// search sets at to the next sound record, or to limit if there is none.
func (w *walker) search() bool {
	for w.at += 8; w.at+recordHead < w.limit; w.at += 8 {
		if w.key.record(w.data[w.at:w.limit]) != nil {
			return true
		}
	}
	w.at = w.limit
	return false
}

// skipPage goes on behind the page on which reading faulted. The walk always advances, so it ends.
func (w *walker) skipPage(err error) {
	page := int64(os.Getpagesize())
	at := faultOffset(err, w.data)
	if at < w.at {
		at = w.at
	}
	if w.bad < 0 {
		w.bad = at
	}
	w.damaged(errUnmapped)
	w.at = (at/page + 1) * page
}

// promise compares what was found with what the seal says, after the last next.
func (w *walker) promise(e seal) {
	if w.count == e.count && w.end == e.end {
		return
	}
	if w.bad < 0 {
		w.bad = w.end
	}
	w.damaged(errCount)
}

func (w *walker) damaged(err error) {
	if w.damage == nil {
		w.damage = err
	}
}
