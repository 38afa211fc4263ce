package retention

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"precount/internal/counters"
)

// errDiffers says that an archive and the store do not hold the same.
var errDiffers = errors.New("the archive and the store differ")

// verify reads an archive from the first byte to the last, against its manifest, and compares each of its documents with
// the one that the store holds now. Of a month of which only part is left, left names that part; the rest is not compared.
func verify(ctx context.Context, store Reader, dir string, left []counters.Collection) (Manifest, error) {
	m, month, err := readManifest(dir)
	if err != nil {
		return m, err
	}
	for _, c := range left {
		if !slices.ContainsFunc(m.Collections, func(e FileEntry) bool { return e.Collection == c.Name() }) || c.Month != month {
			return m, fmt.Errorf("%w: %s is in the store and not in %s", errDiffers, c, dir)
		}
	}
	for _, e := range m.Collections {
		c, _ := e.collection(month)
		if !slices.Contains(left, c) {
			err = readFile(ctx, dir, month, e, func(counters.Document, []byte) error { return nil })
		} else {
			err = compareFile(ctx, store, dir, month, e)
		}
		if err != nil {
			return m, err
		}
	}
	return m, nil
}

// compareFile walks through a file and its collection side by side; both are in the order of _ids.
func compareFile(ctx context.Context, store Reader, dir string, month counters.Month, e FileEntry) error {
	c, _ := e.collection(month)
	next, stop := iter.Pull2(store.Scan(ctx, c, ""))
	defer stop()
	var spelled []byte
	err := readFile(ctx, dir, month, e, func(archived counters.Document, line []byte) error {
		stored, err, ok := next()
		if err != nil {
			return err
		}
		if !ok {
			return fmt.Errorf("%w: %s: the store has no document %.200q any more", errDiffers, c, archived.Key.ID())
		}
		spelled = appendDocument(spelled[:0], &stored)
		if bytes.Equal(spelled, line) {
			return nil
		}
		return difference(stored, archived)
	})
	if err != nil {
		return err
	}
	extra, err, ok := next()
	if err == nil && ok {
		err = fmt.Errorf("%w: %s: the store has a document %.200q that the archive lacks", errDiffers, c, extra.Key.ID())
	}
	return err
}

// difference says in what two documents differ.
func difference(stored, archived counters.Document) error {
	c := stored.Key.Collection
	if stored.Key != archived.Key {
		return fmt.Errorf("%w: %s: the archive has %.200q where the store has %.200q", errDiffers, c, archived.Key.ID(), stored.Key.ID())
	}
	if stored.Total != archived.Total {
		return fmt.Errorf("%w: %s: document %.200q: total is %d in the archive and %d in the store", errDiffers, c, stored.Key.ID(),
			archived.Total, stored.Total)
	}
	return fmt.Errorf("%w: %s: document %.200q: total is the same, but single counts differ", errDiffers, c, stored.Key.ID())
}
