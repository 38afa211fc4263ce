package main

import (
	"context"
	"fmt"
	"iter"
	"strings"

	"precount/internal/counters"
	"precount/internal/sites"
	"precount/internal/sqlitestore"
)

// store is what the commands need of an engine; internal/storetest holds the contract of each method.
type store interface {
	sites.Records
	Apply(ctx context.Context, batch counters.Batch) error
	Scan(ctx context.Context, c counters.Collection, prefix string) iter.Seq2[counters.Document, error]
	DaySums(ctx context.Context, kind counters.Kind, span counters.Span, prefix string) ([]int64, error)
	Top(ctx context.Context, q counters.TopQuery) (counters.Top, error)
	IDs(ctx context.Context, c counters.Collection, prefix string) iter.Seq2[string, error]
	Ping(ctx context.Context) error
	Close() error
}

// openStore opens the engine that --store names; without it, the embedded one in --data.
func (c *common) openStore() (store, error) {
	engine, where, _ := strings.Cut(c.store, ":")
	switch engine {
	case "":
		return sqlitestore.Open(sqlitestore.Options{Dir: c.data})
	case "sqlite":
		if where == "" {
			where = c.data
		}
		return sqlitestore.Open(sqlitestore.Options{Dir: where})
	}
	return nil, usageError{fmt.Errorf("--store %q: want sqlite:DIR", c.store)}
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
