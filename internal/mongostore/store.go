package mongostore

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/mongo/readpref"

	"precount/internal/counters"
)

// Options say which server, and who is told of what cannot be stored. URI is required.
type Options struct {
	URI string // mongodb://… or mongodb+srv://…

	// OnReject is called after an update was set aside; see Rejection. It may be called from several goroutines at once.
	OnReject func(Rejection)
}

// A Store is one deployment: a server, a replica set, or the routers of a sharded cluster. All methods may be called at
// the same time.
type Store struct {
	client   *mongo.Client
	config   *config
	onReject func(Rejection)
	known    *known
	reported *reported
	closed   atomic.Bool
}

var errClosed = errors.New("the store is closed")

// Open checks o, but does not wait for a server: each operation waits for it on its own, as long as
// serverSelectionTimeoutMS says. An error is always one of configuration (ErrConfiguration), or that of looking up a
// mongodb+srv:// name. ctx is not used after Open returned.
func Open(ctx context.Context, o Options) (*Store, error) {
	config, err := parseURI(o.URI)
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", config.address, err)
	}
	client, err := mongo.Connect(config.client)
	if err != nil {
		return nil, wrongURI(config.address, config.redact(err.Error()))
	}
	return &Store{client: client, config: config, onReject: o.OnReject, known: newKnown(), reported: newReported()}, nil
}

// closePatience is how long Close waits for the operations that are under way.
const closePatience = 10 * time.Second

// Close waits for the operations that are under way, and closes all connections. Later calls of other methods fail.
func (s *Store) Close() error {
	if s.closed.Swap(true) {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), closePatience)
	defer cancel()
	return s.explain(ctx, s.client.Disconnect(ctx))
}

// Ping returns an error if the server that takes writes does not answer.
func (s *Store) Ping(ctx context.Context) error {
	if err := s.usable(ctx); err != nil {
		return err
	}
	limited, cancel := s.limit(ctx)
	defer cancel()
	return s.explain(ctx, s.client.Ping(limited, readpref.Primary()))
}

// usable returns the error of a call that cannot succeed, before anything is sent.
func (s *Store) usable(ctx context.Context) error {
	if s.closed.Load() {
		return s.explain(ctx, errClosed)
	}
	return s.explain(ctx, ctx.Err())
}

// limit gives one operation its time-out, if ctx has no earlier one. A server that stops answering in the middle of a
// connection is noticed by nothing else.
func (s *Store) limit(ctx context.Context) (context.Context, context.CancelFunc) {
	if s.config.operationTimeout <= 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, s.config.operationTimeout)
}

// monthly returns a collection for reading, with the URI's read preference.
func (s *Store) monthly(c counters.Collection) *mongo.Collection {
	return s.client.Database(c.Database()).Collection(c.Name())
}

// primary returns a collection of which the newest state is wanted.
func (s *Store) primary(database, name string) *mongo.Collection {
	return s.client.Database(database).Collection(name, options.Collection().SetReadPreference(readpref.Primary()))
}

// command runs a command and returns the server's answer.
func (s *Store) command(ctx context.Context, database string, command bson.D) (bson.Raw, error) {
	limited, cancel := s.limit(ctx)
	defer cancel()
	raw, err := s.client.Database(database).RunCommand(limited, command).Raw()
	return raw, s.explain(ctx, err)
}
