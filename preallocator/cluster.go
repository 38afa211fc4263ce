package preallocator

import (
	"context"
	"fmt"

	"precount/internal/counters"
)

// A Cluster is the part of a store that knows of shards.
type Cluster interface {
	// Shards returns the names of the cluster's shards; none if the server is no router (mongos).
	Shards(ctx context.Context) ([]string, error)
	// Admin runs a command, given as extended JSON, on database admin. It returns nil, too, if the server answers that
	// what it should do was done before: sharded already, split there already, moved there already.
	Admin(ctx context.Context, command []byte) error
}

// piecesPerShard is how many ranges of a new collection each shard gets: enough that what grows differently than last
// month can be moved in parts.
const piecesPerShard = 4

// shard makes the month's collections that are empty sharded ones. A run that was cut off in between is done again: all
// commands may be repeated, and until the last of them is done there is no document.
func (p *preparation) shard(ctx context.Context) error {
	if p.options.Cluster == nil {
		return nil
	}
	shards, err := p.options.Cluster.Shards(ctx)
	if err != nil || len(shards) == 0 {
		return err
	}
	for _, kind := range counters.Kinds() {
		c := counters.Collection{Month: p.month, Kind: kind}
		empty, err := p.isEmpty(ctx, c)
		if err != nil {
			return err
		}
		if !empty {
			continue
		}
		sample, err := p.sample(ctx, counters.Collection{Month: p.month.Add(-1), Kind: kind})
		if err != nil {
			return fmt.Errorf("sample %s: %w", c, err)
		}
		for _, command := range ShardCommands(c, Splits(sample, piecesPerShard*len(shards)), shards) {
			if err := p.options.Cluster.Admin(ctx, command); err != nil {
				return fmt.Errorf("shard %s: %s: %w", c, command, err)
			}
		}
	}
	return nil
}

func (p *preparation) isEmpty(ctx context.Context, c counters.Collection) (bool, error) {
	for _, err := range p.options.Store.IDs(ctx, c, "") {
		return false, err
	}
	return true, nil
}

// sample reads how the views of a collection are distributed. Registers have no views: there each document weighs one.
func (p *preparation) sample(ctx context.Context, c counters.Collection) ([]Weight, error) {
	s := newSampler(maxSample)
	if c.Kind == counters.Visitors {
		for id, err := range p.options.Store.IDs(ctx, c, "") {
			if err != nil {
				return nil, err
			}
			s.add(id, 1)
		}
		return s.weights, nil
	}
	for d, err := range p.options.Store.Scan(ctx, c, "") {
		if err != nil {
			return nil, err
		}
		s.add(d.Key.ID(), d.Total+1)
	}
	return s.weights, nil
}
