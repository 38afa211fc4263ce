package mongostore

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"go.mongodb.org/mongo-driver/v2/mongo"

	"precount/internal/mongotest"
)

func TestDoneBefore(t *testing.T) {
	for _, c := range []struct {
		err  error
		want bool
	}{
		{nil, false},
		{errors.New("already on that shard"), false},
		{mongo.CommandError{Code: 23, Message: "sharding already enabled for collection stats-2026.sites-dec"}, true},
		{fmt.Errorf("wrapped: %w", mongo.CommandError{Code: 8, Message: `new split key { _id: "a" } is a boundary key of existing chunk`}), true},
		{mongo.CommandError{Code: 13, Message: "not authorized"}, false},
		{mongo.CommandError{Code: 59, Message: "no such command: 'split'"}, false},
	} {
		if got := doneBefore(c.err); got != c.want {
			t.Errorf("%v: %v, want %v", c.err, got, c.want)
		}
	}
}

// TestNoRouter: a server that is no router has no shards, and refuses their commands.
func TestNoRouter(t *testing.T) {
	store, err := Open(context.Background(), Options{URI: mongotest.Start(t).URI})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	shards, err := store.Shards(context.Background())
	if err != nil || len(shards) != 0 {
		t.Errorf("shards %v, %v", shards, err)
	}
	for _, command := range []string{`{"shardCollection":"stats-2026.sites-dec","key":{"_id":1}}`, `not JSON`} {
		if err := store.Admin(context.Background(), []byte(command)); err == nil {
			t.Errorf("%s was accepted", command)
		}
	}
}
