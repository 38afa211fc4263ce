package mongostore

import (
	"context"
	"fmt"
	"sync"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"precount/internal/counters"
)

// RejectedRecords is the collection of database "precount" with the updates that were set aside.
const RejectedRecords = "rejected"

// A Rejection is an update that its document cannot take: a field of it has another type, or the sum would not fit into
// 64 bits. The update is stored in collection RejectedRecords, with its numbers, so that somebody can repair the
// document and add them by hand; the other updates of the batch are applied. Nothing of it is in the document.
//
// A batch that is tried again sets aside the same updates under the same ID. Should the document have been repaired
// before the last try of its batch, the update is applied, and its rejection stays.
type Rejection struct {
	ID         string // "<collector>:<token>:<database>.<collection>:<_id of the document>"
	Collection counters.Collection
	Document   string // its _id
	Inc, Max   []counters.Delta
	Code       int    // the server's
	Reason     string // one line
}

// A rejectedStep is a step with the server's verdict.
type rejectedStep struct {
	step
	code    int
	message string
}

func (b *bulk) rejection(r rejectedStep) Rejection {
	return Rejection{
		ID:         fmt.Sprintf("%s:%d:%s:%s", b.collector, b.token, b.collection, r.id),
		Collection: b.collection,
		Document:   r.id,
		Inc:        r.update.Inc,
		Max:        r.update.Max,
		Code:       r.code,
		Reason:     b.store.config.redact(short(r.message)),
	}
}

// setAside stores the rejections durably, then reports each of them once. An error means that the batch must be tried
// again: an update is never neither applied nor stored.
func (b *bulk) setAside(ctx context.Context, steps []rejectedStep) error {
	if len(steps) == 0 {
		return nil
	}
	rejections := make([]Rejection, len(steps))
	documents := make([]any, len(steps))
	for i, st := range steps {
		rejections[i] = b.rejection(st)
		documents[i] = b.recordOf(rejections[i])
	}
	limited, cancel := b.store.limit(ctx)
	defer cancel()
	target := b.store.primary(counters.RecordsDatabase, RejectedRecords)
	_, err := target.InsertMany(limited, documents, options.InsertMany().SetOrdered(false))
	if err != nil && !onlyDuplicates(err) {
		return err
	}
	for _, r := range rejections {
		if b.store.onReject != nil && b.store.reported.first(r.ID) {
			b.store.onReject(r)
		}
	}
	return nil
}

func (b *bulk) recordOf(r Rejection) bson.D {
	deltas := func(all []counters.Delta) bson.A {
		list := make(bson.A, len(all))
		for i, d := range all {
			list[i] = bson.D{{Key: "field", Value: string(d.Field)}, {Key: "n", Value: d.N}}
		}
		return list
	}
	return bson.D{
		{Key: fieldID, Value: r.ID}, {Key: "database", Value: r.Collection.Database()},
		{Key: "collection", Value: r.Collection.Name()}, {Key: "document", Value: r.Document},
		{Key: "collector", Value: b.collector}, {Key: "token", Value: b.token},
		{Key: "inc", Value: deltas(r.Inc)}, {Key: "max", Value: deltas(r.Max)},
		{Key: "code", Value: int64(r.Code)}, {Key: "reason", Value: r.Reason}, {Key: "at", Value: time.Now().UTC()},
	}
}

// onlyDuplicates reports whether all that err says is that documents exist already.
func onlyDuplicates(err error) bool {
	partial, ok := err.(mongo.BulkWriteException)
	if !ok || partial.WriteConcernError != nil {
		return false
	}
	for _, e := range partial.WriteErrors {
		if e.Code != codeDuplicateKey {
			return false
		}
	}
	return true
}

// maxReported bounds the memory for rejections that were reported; beyond it, one may be reported again.
const maxReported = 10_000

type reported struct {
	mu  sync.Mutex
	ids map[string]struct{} // guarded by mu
}

func newReported() *reported { return &reported{ids: make(map[string]struct{})} }

// first reports whether id comes for the first time.
func (r *reported) first(id string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, ok := r.ids[id]; ok {
		return false
	}
	if len(r.ids) >= maxReported {
		clear(r.ids)
	}
	r.ids[id] = struct{}{}
	return true
}
