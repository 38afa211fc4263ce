package mongostore

import (
	"math"
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"

	"precount/internal/counters"
	"precount/internal/mongotest"
	"precount/internal/storetest"
)

// spoil sets a field of the page's document, as somebody with a shell could.
func spoil(t *testing.T, s *Store, u counters.Update, field string, value any) {
	t.Helper()
	_, err := s.monthly(u.Key.Collection).UpdateOne(ctx, bson.D{{Key: fieldID, Value: u.Key.ID()}},
		bson.D{{Key: "$set", Value: bson.D{{Key: field, Value: value}}}})
	if err != nil {
		t.Fatal(err)
	}
}

func TestSpoiledDocumentsAreSetAside(t *testing.T) {
	server := mongotest.Start(t)
	for name, c := range map[string]struct {
		field string
		value any
	}{
		"a text in a day":             {"days.20", "many"},
		"nothing in a day":            {"days.20", nil},
		"a date in a day":             {"days.20", bson.DateTime(7)},
		"a list in a day":             {"days.20", bson.A{int64(1)}},
		"days are a number":           {"days", int64(7)},
		"days are a text":             {"days", "7"},
		"total at its limit":          {"total", int64(math.MaxInt64)},
		"a day at its limit":          {"days.20", int64(math.MaxInt64 - 1)},
		"the bookkeeping is a number": {"w", int64(1)},
	} {
		t.Run(name, func(t *testing.T) {
			server.Empty(t)
			setAside(t, server.URI, c.field, c.value)
		})
	}
}

func setAside(t *testing.T, uri, field string, value any) {
	var told []Rejection
	s, err := Open(ctx, Options{URI: uri, OnReject: func(r Rejection) { told = append(told, r) }})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	updates := storetest.PageUpdates(nov26, 20, 100)
	for i := range updates {
		for j := range updates[i].Inc {
			updates[i].Inc[j].N = 3
		}
	}
	apply(t, s, batch("a", 1, updates))
	spoil(t, s, updates[42], field, value)
	spoilt := stored(t, s, updates[42])
	for token := 2; token < 4; token++ {
		for range 3 {
			apply(t, s, batch("a", token, updates))
		}
	}
	if len(told) != 2 || told[0].Document != updates[42].Key.ID() || told[0].Collection != updates[42].Key.Collection ||
		told[0].Inc[1].N != 3 || told[0].Reason == "" {
		t.Errorf("told of %+v", told)
	}
	t.Logf("code %d: %s", told[0].Code, told[0].Reason)
	counted := 0
	for doc, err := range s.Scan(ctx, updates[0].Key.Collection, "") {
		if err != nil {
			t.Fatal(err)
		}
		if doc.Counts[19] == 9 && doc.Total == 9 {
			counted++
		}
	}
	if counted != 99 {
		t.Errorf("%d others are right, want 99", counted)
	}
	checkRejected(t, s, updates[42].Key.ID())
	if got := stored(t, s, updates[42]); got != spoilt {
		t.Errorf("the document changed from %s to %s", spoilt, got)
	}
}

// checkRejected wants the two batches' updates of one document in the collection, each once.
func checkRejected(t *testing.T, s *Store, id string) {
	t.Helper()
	records, err := s.List(ctx, RejectedRecords)
	if err != nil || len(records) != 2 {
		t.Fatalf("%d rejections, error %v", len(records), err)
	}
	if want := "a:2:stats-2026.sites-nov:" + id; records[0].ID != want {
		t.Errorf("rejection is %q, want %q", records[0].ID, want)
	}
	if want := `"inc":[{"field":"total","n":3},{"field":"days.20","n":3}]`; !strings.Contains(string(records[0].Body), want) {
		t.Errorf("rejection is %s, want %s in it", records[0].Body, want)
	}
}

func stored(t *testing.T, s *Store, u counters.Update) string {
	t.Helper()
	raw, err := s.monthly(u.Key.Collection).FindOne(ctx, bson.D{{Key: fieldID, Value: u.Key.ID()}}).Raw()
	if err != nil {
		t.Fatal(err)
	}
	return raw.String()
}

// TestSpoiledDocumentsCanBeRead: what is no number counts as 0, and the others are not affected.
func TestSpoiledDocumentsCanBeRead(t *testing.T) {
	s := open(t, mongotest.Start(t).URI)
	updates := storetest.PageUpdates(nov26, 20, 5)
	apply(t, s, batch("a", 1, updates))
	spoil(t, s, updates[0], "days.20", "many")
	spoil(t, s, updates[1], "days", int64(7))
	spoil(t, s, updates[2], "total", "all")
	_, err := s.monthly(updates[0].Key.Collection).InsertOne(ctx, bson.D{{Key: fieldID, Value: bson.NewObjectID()}, {Key: "total", Value: 9}})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		from, to int
		want     int64
	}{{1, 30, 4}, {20, 20, 3}, {10, 25, 3}, {19, 21, 3}} {
		span := counters.Span{Month: nov26, From: c.from, To: c.to}
		top, err := s.Top(ctx, counters.TopQuery{Kind: counters.Pages, Spans: []counters.Span{span}, Limit: 10})
		if err != nil || top.Total != c.want || len(top.Rows) != int(c.want) {
			t.Errorf("days %d to %d: %+v, error %v", c.from, c.to, top, err)
		}
		sums, err := s.DaySums(ctx, counters.Pages, span, "")
		if err != nil || sums[20-c.from] != 3 {
			t.Errorf("days %d to %d: sums %v, error %v", c.from, c.to, sums, err)
		}
	}
	n := 0
	for _, err := range s.Scan(ctx, updates[0].Key.Collection, "") {
		if n++; err != nil {
			t.Error(err)
		}
	}
	if n != 5 {
		t.Errorf("%d documents", n)
	}
}

// TestRepairedDocumentsCount: what others write as doubles or leave out does not make a document unusable.
func TestRepairedDocumentsCount(t *testing.T) {
	s := open(t, mongotest.Start(t).URI)
	updates := storetest.PageUpdates(nov26, 20, 3)
	apply(t, s, batch("a", 1, updates))
	spoil(t, s, updates[0], "days.20", 5.0)
	spoil(t, s, updates[1], "days.20", int32(5))
	spoil(t, s, updates[2], "days", bson.D{})
	apply(t, s, batch("a", 2, updates))
	for i, want := range []int64{6, 6, 1} {
		for doc, err := range s.Scan(ctx, updates[0].Key.Collection, updates[i].Key.ID()) {
			if err != nil || doc.Counts[19] != want {
				t.Errorf("document %d: %v, error %v", i, doc, err)
			}
		}
	}
}
