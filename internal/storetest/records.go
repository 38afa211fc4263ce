package storetest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"precount/internal/counters"
)

var recordSentences = []sentence{
	{"a record is created, read, changed and deleted with its revision", recordLife},
	{"records of one collection are listed in the order of their ids", recordList},
	{"of many that change one record at once none is lost", recordRace},
	{"of many that create one record at once one succeeds", recordCreateRace},
	{"what is not a JSON object, or has _id or rev in it, is refused", recordRefused},
}

func record(id string, rev int64, body string) counters.Record {
	return counters.Record{ID: id, Rev: rev, Body: []byte(body)}
}

func put(t *testing.T, s Store, collection string, r counters.Record) {
	t.Helper()
	stored, err := s.Put(context.Background(), collection, r)
	if err != nil || stored.Rev != r.Rev+1 || stored.ID != r.ID {
		t.Fatalf("Put(%s, %v): %v, error %v", collection, r, stored, err)
	}
}

// sameJSON reports whether two bodies say the same; an engine may write them in its own way.
func sameJSON(t *testing.T, a []byte, b string) bool {
	t.Helper()
	var x, y any
	if err := errors.Join(json.Unmarshal(a, &x), json.Unmarshal([]byte(b), &y)); err != nil {
		t.Fatal(err)
	}
	p, _ := json.Marshal(x)
	q, _ := json.Marshal(y)
	return bytes.Equal(p, q)
}

func recordLife(t *testing.T, s *suite) {
	store, ctx := s.open(t), context.Background()
	want := func(err error, kind error, what string) {
		t.Helper()
		if !errors.Is(err, kind) {
			t.Fatalf("%s: error is %v, want %v", what, err, kind)
		}
	}
	_, err := store.Get(ctx, "jobs", "x")
	want(err, counters.ErrNotFound, "Get without a collection")
	want(store.Delete(ctx, "jobs", "x", 1), counters.ErrNotFound, "Delete without a collection")
	body := `{"a":1,"b":[1,2,{"c":"日本 \" ' %"}],"n":-9007199254740991,"t":true,"z":null,"e":{}}`
	put(t, store, "jobs", record("x", 0, `{}`))
	put(t, store, "jobs", record("x", 1, body))
	got, err := store.Get(ctx, "jobs", "x")
	if err != nil || got.ID != "x" || got.Rev != 2 || !sameJSON(t, got.Body, body) {
		t.Fatalf("Get: %s, error %v", got.Body, err)
	}
	_, err = store.Put(ctx, "jobs", record("x", 0, `{}`))
	want(err, counters.ErrConflict, "Put of a new record over an old one")
	_, err = store.Put(ctx, "jobs", record("x", 1, `{}`))
	want(err, counters.ErrConflict, "Put of an old revision")
	_, err = store.Put(ctx, "jobs", record("y", 1, `{}`))
	want(err, counters.ErrConflict, "Put of a revision that never was")
	_, err = store.Get(ctx, "sites", "x")
	want(err, counters.ErrNotFound, "Get from another collection")
	want(store.Delete(ctx, "jobs", "x", 1), counters.ErrConflict, "Delete of an old revision")
	want(store.Delete(ctx, "jobs", "y", 1), counters.ErrNotFound, "Delete of another id")
	want(store.Delete(ctx, "jobs", "x", 2), nil, "Delete")
	_, err = store.Get(ctx, "jobs", "x")
	want(err, counters.ErrNotFound, "Get after Delete")
}

func recordList(t *testing.T, s *suite) {
	store, ctx := s.open(t), context.Background()
	ids := []string{" ", "%", "'", "(other)", "B", "a", "a b", "a.b", "ä", "日本", "🙂"}
	for i := range ids {
		id := ids[(i*7)%len(ids)]
		put(t, store, counters.JobsRecords, record(id, 0, fmt.Sprintf(`{"of":%q}`, id)))
	}
	list, err := store.List(ctx, counters.JobsRecords)
	if err != nil || len(list) != len(ids) {
		t.Fatalf("List: %d records, error %v", len(list), err)
	}
	for i, r := range list {
		if r.ID != ids[i] || r.Rev != 1 || !sameJSON(t, r.Body, fmt.Sprintf(`{"of":%q}`, r.ID)) {
			t.Errorf("record %d is %v %s, want %q", i, r, r.Body, ids[i])
		}
	}
	if list, err := store.List(ctx, counters.AuditRecords); err != nil || len(list) != 0 {
		t.Errorf("List of nothing: %v, error %v", list, err)
	}
}

func recordRace(t *testing.T, s *suite) {
	const writers, changes = 8, 10
	store, ctx := s.open(t), context.Background()
	put(t, store, "jobs", record("x", 0, `{"n":0}`))
	together(writers, func(int) {
		for done := 0; done < changes; {
			r, err := store.Get(ctx, "jobs", "x")
			var body struct{ N int }
			if err = errors.Join(err, json.Unmarshal(r.Body, &body)); err == nil {
				_, err = store.Put(ctx, "jobs", record("x", r.Rev, fmt.Sprintf(`{"n":%d}`, body.N+1)))
			}
			if err == nil {
				done++
			} else if !errors.Is(err, counters.ErrConflict) {
				t.Error(err)
				return
			}
		}
	})
	r, err := store.Get(ctx, "jobs", "x")
	if err != nil || !sameJSON(t, r.Body, fmt.Sprintf(`{"n":%d}`, writers*changes)) || r.Rev != writers*changes+1 {
		t.Errorf("after %d changes: %s, revision %d, error %v", writers*changes, r.Body, r.Rev, err)
	}
}

func recordCreateRace(t *testing.T, s *suite) {
	store := s.open(t)
	for round := range s.rounds / 5 {
		errs := make([]error, 8)
		together(len(errs), func(i int) {
			_, errs[i] = store.Put(context.Background(), "jobs", record(fmt.Sprint("x", round), 0, `{}`))
		})
		created := 0
		for _, err := range errs {
			if err == nil {
				created++
			} else if !errors.Is(err, counters.ErrConflict) {
				t.Error(err)
			}
		}
		if created != 1 {
			t.Errorf("round %d: %d of 8 created the record", round, created)
		}
	}
}

func recordRefused(t *testing.T, s *suite) {
	store := s.open(t)
	for _, r := range []counters.Record{
		record("x", 0, ``), record("x", 0, `null`), record("x", 0, `[]`), record("x", 0, `{`), record("x", 0, `{}{}`),
		record("x", 0, `{"_id":"y"}`), record("x", 0, `{"rev":7}`), record("", 0, `{}`), record("x", -1, `{}`),
		record("\x00", 0, `{}`),
	} {
		if _, err := store.Put(context.Background(), "jobs", r); err == nil || errors.Is(err, counters.ErrConflict) {
			t.Errorf("%q with revision %d and body %q: error is %v", r.ID, r.Rev, r.Body, err)
		}
	}
}
