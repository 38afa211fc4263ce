package main

import (
	"context"
	"errors"
	"time"

	"precount/internal/counters"
	"precount/internal/lease"
	"precount/internal/mongostore"
	"precount/internal/sites"
)

const (
	contactTimeout = 5 * time.Second // of the first try: then the service starts without the store
	contactPause   = time.Second     // between later tries
)

// A checker is a store that may be reachable and still not be usable.
type checker interface {
	// Check returns mongostore.ErrConfiguration if waiting does not help.
	Check(ctx context.Context) error
}

// firstContact asks the store for all that serving needs. If the store is a server that is away, the service starts
// with the sites as it last saw them: hits go into the journal.
func (s *service) firstContact(ctx context.Context) error {
	try, cancel := context.WithTimeout(ctx, contactTimeout)
	defer cancel()
	err := s.reach(try)
	if err == nil || permanent(err) {
		return err
	}
	if _, remote := s.store.(checker); ctx.Err() != nil || !remote && !errors.Is(err, errWait) {
		return err // the embedded store has no server that might come back
	}
	s.common.log.Error().Err(err).Msg("hits are not counted yet; they wait in the journal and nothing is lost")
	s.collector.StoreUp(false)
	if err := s.registry.LoadCopy(); err != nil {
		return err
	}
	return s.registry.Expect(s.wanted)
}

// contact returns nil when the store answered and the lease is held, an error that waiting does not mend, or nil with ctx
// ended.
func (s *service) contact(ctx context.Context) error {
	for begin, remind := time.Now(), (reminder{time.Now()}); s.lease == nil; {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(contactPause):
		}
		err := s.reach(ctx)
		switch {
		case err == nil:
			s.common.log.Info().Stringer("after", time.Since(begin).Round(time.Second)).Msg("recovered: the store answers")
		case permanent(err):
			return err
		case ctx.Err() == nil && remind.due():
			s.common.log.Error().Err(err).Msg("hits are still not counted; they wait in the journal")
		}
	}
	return nil
}

// reach does once, in this order: check the store, read and register the sites, take the collector's lease.
func (s *service) reach(ctx context.Context) error {
	if c, ok := s.store.(checker); ok {
		if err := c.Check(ctx); err != nil {
			return err
		}
	}
	if err := s.registry.Refresh(ctx); errors.Is(err, sites.ErrUnusable) {
		s.common.log.Error().Err(err).Msg("these sites are not counted; repair them with: precount site set, or remove")
	} else if err != nil {
		return err
	}
	for _, site := range s.wanted {
		if err := s.registry.Add(ctx, site); err != nil && !errors.Is(err, sites.ErrExists) && !errors.Is(err, counters.ErrConflict) {
			return err
		}
	}
	if err := s.takeLease(ctx); err != nil {
		return err
	}
	s.collector.StoreUp(true)
	return nil
}

// permanent reports whether waiting does not mend err.
func permanent(err error) bool {
	return errors.Is(err, mongostore.ErrConfiguration) || errors.Is(err, lease.ErrHeld) && !errors.Is(err, errWait) ||
		errors.Is(err, errOldJournal)
}
