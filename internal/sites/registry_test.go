package sites

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"precount/internal/counters"
	"precount/internal/sqlitestore"
)

func openRegistry(t *testing.T) (*Registry, *sqlitestore.Store) {
	t.Helper()
	store, err := sqlitestore.Open(sqlitestore.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	return NewRegistry(store), store
}

func mustSite(t *testing.T, host string, settings ...string) *Site {
	t.Helper()
	s, err := New(host)
	for i := 0; err == nil && i < len(settings); i += 2 {
		err = s.Set(settings[i], settings[i+1])
	}
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestRegistry(t *testing.T) {
	r, store := openRegistry(t)
	ctx := context.Background()
	if err := r.Add(ctx, mustSite(t, "www.example.org", "timezone", "Asia/Tokyo", "alias", "example.com, example.net", "keep-query", "id")); err != nil {
		t.Fatal(err)
	}
	other := NewRegistry(store) // another process
	if err := other.Refresh(ctx); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"example.org", "EXAMPLE.com:80", "www.example.net"} {
		s := other.Directory().Find(name)
		if s == nil || s.Host != "example.org" || s.Location().String() != "Asia/Tokyo" || len(s.KeepQuery) != 1 {
			t.Errorf("%s is %+v", name, s)
		}
	}
	for _, taken := range []*Site{mustSite(t, "example.org"), mustSite(t, "example.com"), mustSite(t, "x.example", "alias", "example.net")} {
		if err := other.Add(ctx, taken); err == nil {
			t.Errorf("%s was added though its name is taken", taken.Host)
		}
	}
	before := other.Directory().Find("example.org")
	if err := other.Refresh(ctx); err != nil || other.Directory().Find("example.org") != before {
		t.Errorf("a site that did not change is another one after a refresh, %v", err)
	}
	if _, err := r.Change(ctx, "example.com", func(s *Site) error { return s.Set("alias", "") }); err != nil {
		t.Fatal(err)
	}
	if err := other.Refresh(ctx); err != nil || other.Directory().Find("example.com") != nil {
		t.Errorf("an alias that was taken away is still known, %v", err)
	}
	if _, err := r.Remove(ctx, "example.org"); err != nil || r.Directory().Find("example.org") != nil {
		t.Errorf("removed, but still known, %v", err)
	}
	for _, err := range []error{
		func() error { _, err := r.Remove(ctx, "example.org"); return err }(),
		func() error { _, err := r.Change(ctx, "example.org", func(*Site) error { return nil }); return err }(),
	} {
		if !errors.Is(err, ErrUnknown) {
			t.Errorf("error %v", err)
		}
	}
}

// TestChangeConcurrently: changes of many processes to one site all stand in the end.
func TestChangeConcurrently(t *testing.T) {
	r, store := openRegistry(t)
	ctx := context.Background()
	if err := r.Add(ctx, mustSite(t, "example.org")); err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			_, err := NewRegistry(store).Change(ctx, "example.org", func(s *Site) error {
				s.KeepQuery = append(s.KeepQuery[:len(s.KeepQuery):len(s.KeepQuery)], fmt.Sprint("p", i))
				return nil
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if err := r.Refresh(ctx); err != nil {
		t.Fatal(err)
	}
	if kept := r.Directory().Find("example.org").KeepQuery; len(kept) != 8 {
		t.Errorf("of 8 changes stand %v", kept)
	}
}

func TestSetRefuses(t *testing.T) {
	for _, c := range [][2]string{{"timezone", "Local"}, {"timezone", ""}, {"timezone", "Mars"}, {"alias", "a b"}, {"public", "maybe"}, {"colour", "red"}} {
		if err := mustSite(t, "example.org").Set(c[0], c[1]); err == nil {
			t.Errorf("%s=%s was taken", c[0], c[1])
		}
	}
}

// TestUnusableSites: a name that two sites came to claim, and a record that cannot be read, leave the other sites alone, and
// can be mended.
func TestUnusableSites(t *testing.T) {
	r, store := openRegistry(t)
	ctx := context.Background()
	for _, s := range []*Site{mustSite(t, "one.example"), mustSite(t, "three.example")} {
		if err := r.Add(ctx, s); err != nil {
			t.Fatal(err)
		}
	}
	// Two people at once: each command sees the names free.
	rival, err := mustSite(t, "two.example", "alias", "one.example").record()
	if err != nil {
		t.Fatal(err)
	}
	for _, record := range []counters.Record{rival, {ID: "odd.example", Body: []byte(`{"host":"odd.example","base":"example.odd","timezone":"Mars"}`)}} {
		if _, err := store.Put(ctx, counters.SitesRecords, record); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.Refresh(ctx); !errors.Is(err, ErrUnusable) {
		t.Errorf("refresh: %v", err)
	}
	for host, want := range map[string]string{"one.example": "one.example", "two.example": "two.example", "three.example": "three.example", "odd.example": ""} {
		got := ""
		if s := r.Directory().Find(host); s != nil {
			got = s.Host
		}
		if got != want {
			t.Errorf("%s counts as %q, want %q", host, got, want)
		}
	}
	if _, err := r.Change(ctx, "odd.example", func(s *Site) error { return s.Set("timezone", "Asia/Tokyo") }); err != nil {
		t.Error(err)
	}
	if _, err := r.Change(ctx, "two.example", func(s *Site) error { return s.Set("alias", "") }); err != nil {
		t.Error(err)
	}
	if err := r.Refresh(ctx); err != nil || r.Directory().Find("odd.example") == nil {
		t.Errorf("mended, but %v", err)
	}
}
