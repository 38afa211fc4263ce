package mongostore

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
)

// Shards returns the names of the cluster's shards; none if the server is no router.
func (s *Store) Shards(ctx context.Context) ([]string, error) {
	router, err := s.IsRouter(ctx)
	if err != nil || !router {
		return nil, err
	}
	answer, err := s.command(ctx, "admin", bson.D{{Key: "listShards", Value: 1}})
	if err != nil {
		return nil, err
	}
	var list struct {
		Shards []struct {
			ID string `bson:"_id"`
		}
	}
	if err := bson.Unmarshal(answer, &list); err != nil {
		return nil, fmt.Errorf("%s: answer to listShards: %w", s.config.address, err)
	}
	names := make([]string, 0, len(list.Shards))
	for _, shard := range list.Shards {
		names = append(names, shard.ID)
	}
	return names, nil
}

// Admin runs a command, given as extended JSON, on database admin. It returns nil, too, if the server answers that what it
// should do was done before. It has not met a real cluster: which answers those are is from MongoDB's sources.
func (s *Store) Admin(ctx context.Context, command []byte) error {
	var fields bson.D
	if err := bson.UnmarshalExtJSON(command, false, &fields); err != nil {
		return fmt.Errorf("command %s: %w", command, err)
	}
	_, err := s.command(ctx, "admin", fields)
	if doneBefore(err) {
		return nil
	}
	return err
}

// codeAlreadyInitialized is what enableSharding and shardCollection answer for what is sharded already.
const codeAlreadyInitialized = 23

// doneBefore reports whether an error of a sharding command says that it was run before. A split at a boundary has no code
// of its own.
func doneBefore(err error) bool {
	var answer mongo.CommandError
	if !errors.As(err, &answer) {
		return false
	}
	return answer.Code == codeAlreadyInitialized || strings.Contains(answer.Message, "is a boundary key of existing chunk") ||
		strings.Contains(answer.Message, "already on that shard")
}
