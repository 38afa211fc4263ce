package preallocator

import (
	"bytes"
	"encoding/json"

	"precount/internal/counters"
)

// ShardCommands returns the commands for database admin, as MongoDB extended JSON, that shard an empty collection by
// _id, split it, and hand the ranges out to the shards in turn. They are moved one by one, because the balancer looks at
// the bytes on each shard (since MongoDB 6.0) and lets empty ranges lie:
// https://www.mongodb.com/docs/manual/tutorial/migrate-chunks-in-sharded-cluster/
func ShardCommands(c counters.Collection, splits, shards []string) [][]byte {
	type id struct {
		ID string `json:"_id"`
	}
	name := c.String()
	commands := [][]byte{
		// Needed by servers before 6.0, and does nothing on later ones.
		command(struct {
			Database string `json:"enableSharding"`
		}{c.Database()}),
		command(struct {
			Collection string         `json:"shardCollection"`
			Key        map[string]int `json:"key"`
		}{name, map[string]int{"_id": 1}}),
	}
	for _, split := range splits {
		commands = append(commands, command(struct {
			Collection string `json:"split"`
			Middle     id     `json:"middle"`
		}{name, id{split}}))
	}
	if len(shards) == 0 {
		return commands
	}
	for i, first := range append([]string{""}, splits...) { // "" lies in the first range
		commands = append(commands, command(struct {
			Collection string `json:"moveChunk"`
			Find       id     `json:"find"`
			To         string `json:"to"`
		}{name, id{first}, shards[i%len(shards)]}))
	}
	return commands
}

// command encodes a command whose fields keep their order: the first one names it.
func command(fields any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(fields); err != nil {
		panic(err) // strings and numbers only
	}
	return bytes.TrimSpace(b.Bytes())
}
