package mongostore

import (
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"

	"precount/internal/counters"
	"precount/internal/mongotest"
	"precount/internal/storetest"
)

// total returns the views of all pages of a month.
func total(t *testing.T, s *Store) int64 {
	t.Helper()
	top, err := s.Top(ctx, counters.TopQuery{Kind: counters.Pages, Spans: []counters.Span{{Month: nov26, From: 2, To: 29}}})
	if err != nil {
		t.Fatal(err)
	}
	return top.Total
}

// TestWhatIsKnownIsNoProof: documents that this store saw may be gone, all or some, and batches may be replays of others.
func TestWhatIsKnownIsNoProof(t *testing.T) {
	server := mongotest.Start(t)
	a, b := open(t, server.URI), open(t, server.URI)
	updates := storetest.PageUpdates(nov26, 20, 6000)
	apply(t, a, batch("a", 1, updates))
	drop(t, b)
	apply(t, a, batch("a", 2, updates))
	if got := total(t, a); got != 6000 {
		t.Errorf("after a drop by another process: %d views", got)
	}
	for i := 0; i < 6000; i += 100 {
		_, err := a.monthly(updates[i].Key.Collection).DeleteOne(ctx, bson.D{{Key: fieldID, Value: updates[i].Key.ID()}})
		if err != nil {
			t.Fatal(err)
		}
	}
	mixed := renamed(updates, 1, 7) // known and there, known and gone, unknown
	apply(t, a, batch("a", 3, mixed))
	apply(t, b, batch("a", 3, mixed))
	apply(t, a, batch("a", 3, mixed))
	if got := total(t, a); got != 6000-60+6000 {
		t.Errorf("after a loss of 60: %d views, want %d", got, 6000-60+6000)
	}
	part := batch("a", 4, updates[:3000])
	apply(t, b, part)
	part.Updates = updates
	apply(t, a, part)
	if got := total(t, a); got != 6000-60+6000+6000 {
		t.Errorf("after half of a batch by another process: %d views", got)
	}
}

func TestKnownIsBounded(t *testing.T) {
	k := newKnown()
	updates := storetest.PageUpdates(nov26, 1, 1000)
	steps := make([]step, len(updates))
	for round := range maxKnown/1000 + 10 {
		for i, u := range renamed(updates, round, 1) {
			steps[i] = step{update: &u, id: u.Key.ID()}
		}
		k.add(steps)
	}
	if n := len(k.current) + len(k.older); n > maxKnown || n < maxKnown/2 {
		t.Errorf("%d are known", n)
	}
	if yes, no := k.split(steps); len(yes) != 1000 || len(no) != 0 {
		t.Errorf("%d are known, %d are not", len(yes), len(no))
	}
}

// TestTooLargeBulkIsHalved: DocumentDB takes 25,000 operations, which Apply never sends.
func TestTooLargeBulkIsHalved(t *testing.T) {
	s := open(t, mongotest.Start(t).URI)
	steps, err := plan(batch("a", 1, storetest.PageUpdates(nov26, 20, 30_000)))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.newBulk(steps[0].collection(), "a", 1).apply(ctx, steps); err != nil {
		t.Fatal(err)
	}
	if got := total(t, s); got != 30_000 {
		t.Errorf("%d views", got)
	}
}

func TestBulksAreWithinBounds(t *testing.T) {
	updates := append(storetest.PageUpdates(nov26, 20, 2600), storetest.PageUpdates(dec26, 20, 3)...)
	for day := range 300 {
		u := counters.Update{Key: counters.VisitorsKey(nov26, "org.site"+digits[day], 1+day%30)}
		for register := range counters.Registers {
			u.Max = append(u.Max, counters.Delta{Field: counters.Register(register), N: 9})
		}
		updates = append(updates, u)
	}
	steps, err := plan(batch("a", 1, updates))
	if err != nil {
		t.Fatal(err)
	}
	var sizes []int
	for len(steps) > 0 {
		n, bytes := nextBulk(steps), 0
		for i := range steps[:n] {
			st := &steps[i]
			bytes += len(documentOf(st, "a", 1))
			if st.collection() != steps[0].collection() {
				t.Error("a bulk has documents of two collections")
			}
		}
		if n > bulkOperations || bytes > bulkBytes {
			t.Errorf("a bulk has %d operations with %d bytes", n, bytes)
		}
		sizes, steps = append(sizes, n), steps[n:]
	}
	if len(sizes) < 5 || sizes[0] != 2500 || sizes[1] != 100 {
		t.Errorf("sizes are %v", sizes)
	}
}

// TestPlanSortsByID: opposite orders deadlock.
func TestPlanSortsByID(t *testing.T) {
	updates := append(storetest.PageUpdates(dec26, 20, 100), storetest.PageUpdates(nov26, 20, 100)...)
	updates = append(updates, counters.Update{Key: counters.PageKey(nov26, base+".docs", "/")})
	steps, err := plan(batch("a", 1, updates))
	if err != nil {
		t.Fatal(err)
	}
	for i := 1; i < len(steps); i++ {
		a, b := steps[i-1], steps[i]
		if c := a.collection().Compare(b.collection()); c > 0 || c == 0 && a.id >= b.id {
			t.Errorf("%s %q comes before %s %q", a.collection(), a.id, b.collection(), b.id)
		}
	}
}

func TestADocumentTwiceInABatchIsRefused(t *testing.T) {
	u := storetest.PageUpdates(nov26, 20, 1)[0]
	if _, err := plan(batch("a", 1, []counters.Update{u, u})); err == nil {
		t.Error("it is accepted; the second would be lost")
	}
	for _, collector := range []string{"a.b", "$a", "a\x00"} {
		if _, err := plan(batch(collector, 1, nil)); err == nil {
			t.Errorf("collector %q is accepted; it cannot be a field", collector)
		}
	}
}

// TestUnconfirmedWritesAreErrors: written, but not by a majority, may still be rolled back.
func TestUnconfirmedWritesAreErrors(t *testing.T) {
	uri := mongotest.StartFake(t, func(raw bson.Raw) bson.D {
		if command(raw) == "update" {
			return ok(bson.E{Key: "n", Value: 1}, bson.E{Key: "nModified", Value: 1}, bson.E{Key: "writeConcernError",
				Value: bson.D{{Key: "code", Value: 64}, {Key: "errmsg", Value: "waiting for replication timed out"}}})
		}
		return aPrimary()
	})
	err := open(t, uri).Apply(ctx, batch("a", 1, storetest.PageUpdates(nov26, 20, 1)))
	if err == nil || !strings.Contains(err.Error(), "replication timed out") {
		t.Errorf("error is %v", err)
	}
}

// TestScanSurvivesALostCursor: servers forget the cursors of slow readers.
func TestScanSurvivesALostCursor(t *testing.T) {
	s := open(t, mongotest.Start(t).URI)
	updates := storetest.PageUpdates(nov26, 20, 3*batchSize)
	apply(t, s, batch("a", 1, updates))
	c := counters.Collection{Month: nov26}
	cur, err := s.open(ctx, c, base, bson.D{{Key: fieldTotal, Value: 1}})
	if err != nil {
		t.Fatal(err)
	}
	defer cur.close(ctx)
	first, n, last := cur.rows, 0, ""
	for {
		more, err := cur.next(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if !more {
			break
		}
		if cur.last <= last {
			t.Fatalf("%q comes after %q", cur.last, last)
		}
		last = cur.last
		if n++; n%batchSize == 10 && n < 2*batchSize {
			_, err := s.command(ctx, c.Database(), bson.D{{Key: "killCursors", Value: c.Name()},
				{Key: "cursors", Value: bson.A{cur.rows.ID()}}})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	if n != len(updates) || cur.rows == first {
		t.Errorf("%d documents, want %d; resumed: %v", n, len(updates), cur.rows != first)
	}
}
