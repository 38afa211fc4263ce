package mongotest

import (
	"context"
	"strings"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

// Empty drops the databases that precount uses, "precount" and all "stats-…", and no others.
func (s *Server) Empty(t testing.TB) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	client, err := mongo.Connect(options.Client().ApplyURI(s.URI))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Disconnect(ctx)
	names, err := client.ListDatabaseNames(ctx, bson.D{})
	if err != nil {
		t.Fatalf("%s: %v", uriVariable, err)
	}
	for _, name := range names {
		if name == "precount" || strings.HasPrefix(name, "stats-") {
			if err := client.Database(name).Drop(ctx); err != nil {
				t.Fatal(err)
			}
		}
	}
}
