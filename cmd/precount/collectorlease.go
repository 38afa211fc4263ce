package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"precount/internal/counters"
	"precount/internal/lease"
)

var (
	// errWait says that the lease's holder is probably a dead process in this very directory.
	errWait = errors.New("waiting for it to run out")
	// errOldJournal says that the journal is an older copy of itself.
	errOldJournal = errors.New("the journal is older than what was counted from it")
)

// releaseTimeout bounds giving the lease up.
const releaseTimeout = 5 * time.Second

// A collectorRecord is what the record of a collector holds beside the lease.
type collectorRecord struct {
	Token uint64 `json:"token"` // of a batch that the store has; may be some seconds old
}

// takeLease takes the lease of the journal's collector id, so that no two processes count under it.
func (s *service) takeLease(ctx context.Context) error {
	place := s.place()
	held, err := lease.Acquire(ctx, lease.Options{Records: s.store, Collection: counters.CollectorsRecords, ID: s.journal.ID(),
		Owner: processName(), Place: place})
	var by *lease.HeldError
	if errors.As(err, &by) && sameFile(by.Place, place) && (s.holder.IsZero() || !by.Until.After(s.holder)) {
		// A container that was made anew, or the machine started again: only we hold the directory's lock. But a clone of
		// the machine looks the same, so the lease must run out; if somebody renews it meanwhile, that is a living process.
		s.holder = by.Until
		return fmt.Errorf("%w; %w", err, errWait)
	}
	if err != nil {
		return err
	}
	var record collectorRecord
	if err := json.Unmarshal(held.Body(), &record); err != nil {
		return err
	}
	if record.Token > s.journal.Found() {
		err := fmt.Errorf("%s: %w (batch %d was counted, its newest segment is %d): it is a copy from before, and new hits would "+
			"be taken for counted ones; move the directory away, a new one is made", filepath.Join(s.common.data, "journal"),
			errOldJournal, record.Token, s.journal.Found())
		return errors.Join(err, held.Release(ctx))
	}
	s.lease = held
	return nil
}

// keepLease renews the lease until ctx ends, and notes in it which batch was counted last. It returns lease.ErrLost if another
// process took it.
func (s *service) keepLease(ctx context.Context) error {
	var remind reminder
	return s.lease.Keep(ctx, s.noteToken, func(err error) {
		if remind.due() {
			s.common.log.Warn().Err(err).Msg("cannot renew the collector's lease; trying again")
		}
	})
}

func (s *service) noteToken(ctx context.Context) error {
	token := s.collector.Token()
	if token == 0 { // nothing was counted yet: the record keeps what it says
		return s.lease.Renew(ctx)
	}
	body, err := json.Marshal(collectorRecord{token})
	if err != nil {
		return err
	}
	return s.lease.Merge(ctx, body)
}

// releaseLease lets the next process count at once.
func (s *service) releaseLease() {
	ctx, cancel := context.WithTimeout(context.Background(), releaseTimeout)
	defer cancel()
	err := s.noteToken(ctx)
	if errors.Is(err, lease.ErrLost) {
		return
	}
	if err := errors.Join(err, s.lease.Release(ctx)); err != nil {
		s.common.log.Warn().Err(err).Msg("the collector's lease runs out by itself")
	}
}

// processName tells this process from all others, and people which it is.
func processName() string {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	return fmt.Sprintf("%s, process %d, started %s", host, os.Getpid(), started.UTC().Format(time.RFC3339Nano))
}

var started = time.Now()

// embeddedPlace is the place of a store within the data directory: whoever counts into it holds the directory's lock.
const embeddedPlace = "the data directory itself"

// place names this very data directory on this very machine since it was started. Only the process that holds its lock is
// there, so that a lease taken from the same place is a dead process's. A copy of the directory is another place.
func (s *service) place() string {
	if name, dir, err := s.common.engine(); err == nil && name == "sqlite" && dir == s.common.data {
		return embeddedPlace
	}
	file := fileIdentity(filepath.Join(s.common.data, "journal", "lock"))
	if file == "" {
		return ""
	}
	parts := []string{file}
	for _, name := range []string{"/etc/machine-id", "/proc/sys/kernel/random/boot_id", "/proc/sys/kernel/hostname"} {
		content, err := os.ReadFile(name)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return ""
		}
		parts = append(parts, strings.TrimSpace(string(content)))
	}
	return strings.Join(parts, "/")
}

// sameFile reports whether two places are the same directory, though perhaps of clones, or of other times.
func sameFile(a, b string) bool {
	first, _, ok := strings.Cut(a, "/")
	second, _, _ := strings.Cut(b, "/")
	return ok && first == second
}
