package main

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"

	"precount/internal/counters"
	"precount/internal/mongostore"
	"precount/internal/sites"
	"precount/internal/sqlitestore"
	"precount/reporter/retention"
)

// store is what the commands need of an engine; internal/storetest holds the contract of each method.
type store interface {
	sites.Records
	retention.Store
	Insert(ctx context.Context, c counters.Collection, keys []counters.Key, collectors []string) (inserted int, err error)
	Apply(ctx context.Context, batch counters.Batch) error
	DaySums(ctx context.Context, kind counters.Kind, span counters.Span, prefix string) ([]int64, error)
	Top(ctx context.Context, q counters.TopQuery) (counters.Top, error)
	IDs(ctx context.Context, c counters.Collection, prefix string) iter.Seq2[string, error]
	Ping(ctx context.Context) error
	Close() error
}

// engine returns which store --store names: "sqlite" and its directory, or "mongodb" and its address. Without --store it
// is the embedded one, in --data.
func (c *common) engine() (name, where string, err error) {
	scheme, rest, _ := strings.Cut(c.store, ":")
	switch scheme {
	case "", "sqlite":
		if rest == "" {
			rest = c.data
		}
		if rest == "" || c.data == "" {
			return "", "", errors.New("--data is empty: name a directory, or leave the flag out")
		}
		return "sqlite", rest, nil
	case "mongodb", "mongodb+srv":
		return "mongodb", c.store, nil
	}
	return "", "", fmt.Errorf("--store %q: want sqlite:DIR, mongodb://… or mongodb+srv://…", scheme+":")
}

func (c *common) checkStore() error {
	_, _, err := c.engine()
	return err
}

// openStore opens the store. A server that is away is no error; wrong configuration is.
func (c *common) openStore(ctx context.Context) (store, error) {
	name, where, err := c.engine()
	if err != nil {
		return nil, usageError{err}
	}
	if name == "mongodb" {
		s, err := mongostore.Open(ctx, mongostore.Options{URI: where, OnReject: c.onReject})
		if err != nil {
			return nil, err // not s: a nil *Store is no nil store
		}
		return s, nil
	}
	s, err := sqlitestore.Open(sqlitestore.Options{Dir: where})
	if err != nil {
		return nil, err
	}
	return s, nil
}

// onReject tells of a document that could not take its update.
func (c *common) onReject(r mongostore.Rejection) {
	if c.rejected != nil {
		c.rejected()
	}
	c.log.Error().Str("collection", r.Collection.String()).Str("document", r.Document).Str("rejection", r.ID).Str("reason", r.Reason).
		Msg("a document cannot take its counts: they are set aside in precount.rejected, the others go on; repair the document, then add them")
}

// withStore runs a command of its own on the store: it may run beside a serving process.
func (c *common) withStore(ctx context.Context, do func(store) error) (err error) {
	s, err := c.openStore(ctx)
	if err != nil {
		return err
	}
	defer func() {
		if e := s.Close(); err == nil {
			err = e
		}
	}()
	if checked, ok := s.(checker); ok {
		if err := checked.Check(ctx); err != nil {
			return err
		}
	}
	return do(s)
}
