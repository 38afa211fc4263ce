package mongostore

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"strings"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

// tlsPatience is how long the other way of talking is tried.
const tlsPatience = 3 * time.Second

// doubtTLS finds out whether err comes from only one side talking TLS. A server then hangs up without a word, as one
// does that is just being stopped; but it answers when it is asked in the other way.
func (s *Store) doubtTLS(ctx context.Context, err error) error {
	text := err.Error()
	if errors.Is(err, ErrConfiguration) || !strings.Contains(text, "EOF") && !strings.Contains(text, "reset by peer") {
		return err
	}
	without := s.config.client.TLSConfig != nil
	if !s.answers(ctx, !without) {
		return err
	}
	advice := "the server wants TLS: add tls=true to the URI, and tlsCAFile if its certificate is your own"
	if without {
		advice = "the server does not talk TLS: take tls=true out of the URI, or turn TLS on in the server"
	}
	return &storeError{fmt.Sprintf("%s: %s", s.config.address, advice), ErrConfiguration}
}

// answers reports whether one of the hosts answers with TLS, or without. It never sends the password.
func (s *Store) answers(ctx context.Context, withTLS bool) bool {
	for _, host := range s.config.hosts {
		opts := options.Client().SetHosts([]string{host}).SetDirect(true).SetServerSelectionTimeout(tlsPatience)
		if withTLS {
			opts.SetTLSConfig(&tls.Config{InsecureSkipVerify: true}) // nothing is sent but hello
		}
		client, err := mongo.Connect(opts)
		if err != nil {
			return false
		}
		limited, cancel := context.WithTimeout(ctx, tlsPatience)
		err = client.Database("admin").RunCommand(limited, bson.D{{Key: "hello", Value: 1}}).Err()
		client.Disconnect(limited)
		cancel()
		if err == nil {
			return true
		}
	}
	return false
}
