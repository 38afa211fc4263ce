package preallocator

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"precount/internal/counters"
	"precount/internal/mongostore"
	"precount/internal/mongotest"
	"precount/internal/sites"
)

// A cutStore ends a preparation at its n-th insert.
type cutStore struct {
	*mongostore.Store
	n   int
	cut func()
}

func (c *cutStore) Insert(ctx context.Context, of counters.Collection, keys []counters.Key, collectors []string) (int, error) {
	if c.n--; c.n == 0 {
		c.cut()
	}
	return c.Store.Insert(ctx, of, keys, collectors)
}

// TestMongoDB: flushes of two collectors and preparations, whole or cut off, in any order leave the model's counts; a
// document that had a template keeps its fields in their order, whoever counts in it.
func TestMongoDB(t *testing.T) {
	server := mongotest.Start(t)
	store, err := mongostore.Open(context.Background(), mongostore.Options{URI: server.URI})
	must(t, err)
	defer store.Close()
	client, err := mongo.Connect(options.Client().ApplyURI(server.URI))
	must(t, err)
	defer client.Disconnect(context.Background())
	m := &mongoModel{t: t, store: store, raw: client.Database(dec26.Database()), counted: map[string]int64{}, fields: map[string]string{},
		random: rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 0)), site: site(t, "example.org", "UTC")}
	for _, id := range []string{"one", "two"} {
		_, err := store.Put(context.Background(), counters.CollectorsRecords, counters.Record{ID: id,
			Body: fmt.Appendf(nil, `{"lease_until":%q}`, time.Now().UTC().Format(time.RFC3339))})
		must(t, err)
	}
	m.apply(nov26)
	for range 40 {
		switch m.random.IntN(4) {
		case 0:
			m.prepare(0)
		case 1:
			m.prepare(1 + m.random.IntN(9))
		default:
			m.apply(dec26)
		}
		m.check()
	}
	m.prepare(0)
	m.check()
	if len(m.fields) == 0 {
		t.Error("no document had a template: the test showed nothing")
	}
	t.Logf("%d of %d documents had a template", len(m.fields), len(m.counted))
}

type mongoModel struct {
	t       *testing.T
	store   *mongostore.Store
	raw     *mongo.Database
	random  *rand.Rand
	site    *sites.Site
	token   uint64
	counted map[string]int64  // views by _id, in December
	fields  map[string]string // of documents with a template, by _id
}

// apply counts on some of 40 pages.
func (m *mongoModel) apply(month counters.Month) {
	m.t.Helper()
	m.token++
	b := counters.Batch{Collector: []string{"one", "two"}[m.random.IntN(2)], Token: m.token}
	for i := range 40 {
		if n := m.random.Int64N(30); month == nov26 || n < 3 {
			key := counters.PageKey(month, m.site.Base, fmt.Sprint("/", i))
			b.Updates = append(b.Updates, counters.Update{Key: key, Inc: []counters.Delta{{Field: counters.Total, N: n}, {Field: counters.Day(3), N: n}}})
			if month == dec26 {
				m.counted[key.ID()] += n
			}
		}
	}
	must(m.t, m.store.Apply(context.Background(), b))
}

func (m *mongoModel) prepare(cutAt int) {
	m.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	d := directory(m.t, m.site)
	p, err := New(Options{Store: &cutStore{m.store, cutAt, cancel}, Records: m.store, Sites: func() *sites.Directory { return d }, Owner: "test",
		Now: func() time.Time { return instant(m.t, midNovember) }})
	must(m.t, err)
	if _, err := p.Prepare(ctx, dec26, nil); err != nil && !errors.Is(err, context.Canceled) {
		m.t.Fatal(err)
	}
}

// check reads all documents as they are stored.
func (m *mongoModel) check() {
	m.t.Helper()
	cursor, err := m.raw.Collection("sites-dec").Find(context.Background(), bson.D{})
	must(m.t, err)
	var all []bson.D
	must(m.t, cursor.All(context.Background(), &all))
	seen := map[string]int64{}
	for _, d := range all {
		id, paths := "", names("", d)
		for _, e := range d {
			if e.Key == "_id" {
				id = e.Value.(string)
			}
			if e.Key == "total" {
				seen[id] = e.Value.(int64)
			}
		}
		text := strings.Join(paths, " ")
		if days := strings.Count(text, "days."); days != 31 {
			m.t.Fatalf("%q has %d days: %s", id, days, text)
		}
		if before, ok := m.fields[id]; ok && before != text {
			m.t.Fatalf("%q: its fields were\n%s\nand are\n%s", id, before, text)
		}
		if slices.Contains(paths, "w.one") && slices.Contains(paths, "w.two") {
			m.fields[id] = text
		}
	}
	for id, n := range m.counted {
		if seen[id] != n {
			m.t.Fatalf("%q: %d views are stored, %d were counted", id, seen[id], n)
		}
	}
}

// names returns the dotted paths of all fields, in their order.
func names(prefix string, d bson.D) (all []string) {
	for _, e := range d {
		all = append(all, prefix+e.Key)
		if inner, ok := e.Value.(bson.D); ok {
			all = append(all, names(prefix+e.Key+".", inner)...)
		}
	}
	return all
}
