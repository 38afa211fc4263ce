package horizon

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"precount/internal/counters"
)

// A Backlog is what one collector announced: it may still write hits of Oldest and of later months.
type Backlog struct {
	Collector string
	Oldest    counters.Month
	Changed   time.Time
}

const collectorPrefix = "collector|"

type storedBacklog struct {
	Oldest  string    `json:"oldest"`
	Changed time.Time `json:"changed"`
}

// Announce makes known that the collector may write hits of oldest and of later months, but of no earlier ones. It returns
// which months were put away when it was known: those the collector must not write. Of the months from oldest on no other
// will be put away until the next announcement.
func (h *Horizon) Announce(ctx context.Context, collector string, oldest counters.Month) (expired func(counters.Month) bool, err error) {
	body, err := json.Marshal(storedBacklog{oldest.String(), time.Now().UTC()})
	if err != nil {
		return nil, err
	}
	for {
		record, err := h.records.Get(ctx, counters.RetentionRecords, collectorPrefix+collector)
		if errors.Is(err, counters.ErrNotFound) {
			record, err = counters.Record{ID: collectorPrefix + collector}, nil
		}
		if err == nil {
			record.Body = body
			_, err = h.records.Put(ctx, counters.RetentionRecords, record)
		}
		if err == nil {
			return h.snapshot(ctx)
		}
		if !errors.Is(err, counters.ErrConflict) {
			return nil, fmt.Errorf("announce which months collector %s may write: %w", collector, err)
		}
	}
}

func (h *Horizon) snapshot(ctx context.Context) (func(counters.Month) bool, error) {
	if err := h.Refresh(ctx); err != nil {
		return nil, err
	}
	return h.current.Load().expired, nil
}

// Announced returns the oldest month that the collector announced, the zero Month if none.
func (h *Horizon) Announced(ctx context.Context, collector string) (counters.Month, error) {
	record, err := h.records.Get(ctx, counters.RetentionRecords, collectorPrefix+collector)
	if errors.Is(err, counters.ErrNotFound) {
		return counters.Month{}, nil
	}
	if err != nil {
		return counters.Month{}, err
	}
	b, err := parseBacklog(record)
	return b.Oldest, err
}

// Forget removes what a collector announced: it holds no hits, or those it holds are given up.
func (h *Horizon) Forget(ctx context.Context, collector string) error {
	for {
		record, err := h.records.Get(ctx, counters.RetentionRecords, collectorPrefix+collector)
		if err == nil {
			err = h.records.Delete(ctx, counters.RetentionRecords, record.ID, record.Rev)
		}
		switch {
		case err == nil || errors.Is(err, counters.ErrNotFound):
			return nil
		case !errors.Is(err, counters.ErrConflict):
			return err
		}
	}
}

// Backlogs returns what all collectors announced.
func (h *Horizon) Backlogs(ctx context.Context) ([]Backlog, error) {
	records, err := h.records.List(ctx, counters.RetentionRecords)
	if err != nil {
		return nil, err
	}
	var all []Backlog
	for _, record := range records {
		if !strings.HasPrefix(record.ID, collectorPrefix) {
			continue
		}
		b, err := parseBacklog(record)
		if err != nil {
			return nil, err
		}
		all = append(all, b)
	}
	return all, nil
}

func parseBacklog(record counters.Record) (Backlog, error) {
	var s storedBacklog
	err := json.Unmarshal(record.Body, &s)
	b := Backlog{Collector: strings.TrimPrefix(record.ID, collectorPrefix), Changed: s.Changed}
	if err == nil {
		b.Oldest, err = counters.ParseMonth(s.Oldest)
	}
	if err != nil {
		return b, fmt.Errorf("%s %q as stored: %w", counters.RetentionRecords, record.ID, err)
	}
	return b, nil
}
