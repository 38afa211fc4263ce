package mongostore

import (
	"context"
	"fmt"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/x/mongo/driver/topology"

	"precount/internal/counters"
)

// Check finds out whether this server and this user will do. An error with ErrConfiguration does not go away by waiting:
// wrong password, no rights, TLS on one side only, a server that is too old or a secondary that was addressed directly.
// Any other error says that the server cannot be reached now.
func (s *Store) Check(ctx context.Context) error {
	hello, err := s.hello(ctx)
	if err != nil {
		return s.doubtTLS(ctx, err)
	}
	if reason := judge(hello); reason != "" {
		return &storeError{fmt.Sprintf("%s: %s", s.config.address, reason), ErrConfiguration}
	}
	year := counters.Month{Year: time.Now().Year()}.Database()
	for _, database := range []string{counters.RecordsDatabase, year} {
		if err := s.mayWrite(ctx, database); err != nil {
			return err
		}
	}
	return nil
}

// IsRouter reports whether the server is a router of a sharded cluster.
func (s *Store) IsRouter(ctx context.Context) (bool, error) {
	hello, err := s.hello(ctx)
	if err != nil {
		return false, err
	}
	msg, _ := hello.Lookup("msg").StringValueOK()
	return msg == "isdbgrid", nil
}

func (s *Store) hello(ctx context.Context) (bson.Raw, error) {
	if err := s.usable(ctx); err != nil {
		return nil, err
	}
	return s.command(ctx, "admin", bson.D{{Key: "hello", Value: 1}})
}

// judge says what is wrong with a server, from its answer to hello; "" if nothing is.
func judge(hello bson.Raw) string {
	if version := number(hello.Lookup("maxWireVersion")); version < int64(topology.SupportedWireVersions.Min) {
		return fmt.Sprintf("the server is too old (wire version %d): use MongoDB %s or later", version,
			topology.MinSupportedMongoDBVersion)
	}
	writable, known := hello.Lookup("isWritablePrimary").BooleanOK()
	if !known {
		writable, _ = hello.Lookup("ismaster").BooleanOK()
	}
	if !writable {
		return notPrimary
	}
	return ""
}

// mayWrite asks for an update of a document that does not exist: refused without the right to it, otherwise nothing
// happens, no collection is made.
func (s *Store) mayWrite(ctx context.Context, database string) error {
	limited, cancel := s.limit(ctx)
	defer cancel()
	_, err := s.primary(database, counters.JobsRecords).UpdateOne(limited,
		bson.D{{Key: fieldID, Value: "may this user write?"}}, bson.D{{Key: "$set", Value: bson.D{{Key: "x", Value: 1}}}})
	return s.explain(ctx, err)
}
