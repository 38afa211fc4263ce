package main

import (
	"context"
	"fmt"
	"iter"
	"strings"

	"precount/internal/counters"
	"precount/internal/sites"
	"precount/internal/sqlitestore"
	"precount/reporter/retention"
)

// store is what the commands need of an engine; internal/storetest holds the contract of each method.
type store interface {
	sites.Records
	retention.Store
	Apply(ctx context.Context, batch counters.Batch) error
	DaySums(ctx context.Context, kind counters.Kind, span counters.Span, prefix string) ([]int64, error)
	Top(ctx context.Context, q counters.TopQuery) (counters.Top, error)
	IDs(ctx context.Context, c counters.Collection, prefix string) iter.Seq2[string, error]
	Ping(ctx context.Context) error
	Close() error
}

// storeDir returns the directory of the engine that --store names; without it, the embedded one in --data.
func (c *common) storeDir() (string, error) {
	engine, dir, _ := strings.Cut(c.store, ":")
	switch {
	case c.store == "" || c.store == "sqlite:":
		return c.data, nil
	case engine == "sqlite":
		return dir, nil
	}
	return "", usageError{fmt.Errorf("--store %q: want sqlite:DIR", c.store)}
}

// openStore opens the store.
func (c *common) openStore() (store, error) {
	dir, err := c.storeDir()
	if err != nil {
		return nil, err
	}
	s, err := sqlitestore.Open(sqlitestore.Options{Dir: dir})
	if err != nil {
		return nil, err // not s: a nil *Store is no nil store
	}
	return s, nil
}

// withStore runs a command of its own on the store: it may run beside a serving process.
func (c *common) withStore(do func(store) error) (err error) {
	s, err := c.openStore()
	if err != nil {
		return err
	}
	defer func() {
		if e := s.Close(); err == nil {
			err = e
		}
	}()
	return do(s)
}
