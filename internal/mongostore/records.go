package mongostore

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"precount/internal/counters"
)

// Get returns one record of a collection of database "precount"; the error is counters.ErrNotFound if there is none.
func (s *Store) Get(ctx context.Context, collection, id string) (counters.Record, error) {
	if err := s.usable(ctx); err != nil {
		return counters.Record{}, err
	}
	limited, cancel := s.limit(ctx)
	defer cancel()
	raw, err := s.records(collection).FindOne(limited, bson.D{{Key: fieldID, Value: id}}).Raw()
	if errors.Is(err, mongo.ErrNoDocuments) {
		return counters.Record{}, s.notFound(collection, id)
	}
	if err != nil {
		return counters.Record{}, s.explain(ctx, err)
	}
	return recordOf(raw)
}

// List returns all records of a collection, in the order of the bytes of their ids.
func (s *Store) List(ctx context.Context, collection string) ([]counters.Record, error) {
	if err := s.usable(ctx); err != nil {
		return nil, err
	}
	limited, cancel := s.limit(ctx)
	defer cancel()
	var found []bson.Raw
	cursor, err := s.records(collection).Find(limited, within("", ""),
		options.Find().SetBatchSize(batchSize).SetSort(bson.D{{Key: fieldID, Value: 1}}))
	if err == nil {
		err = cursor.All(limited, &found)
	}
	if err != nil {
		return nil, s.explain(ctx, err)
	}
	all := make([]counters.Record, len(found))
	for i, raw := range found {
		if all[i], err = recordOf(raw); err != nil {
			return nil, s.explain(ctx, err)
		}
	}
	return all, nil
}

// Put stores a record if the stored one still has r.Rev, or if r.Rev is 0 and there is none; otherwise the error is
// counters.ErrConflict. It returns the record as it is stored now, with its new revision. After any other error the
// record may be stored or not; then Put again says ErrConflict, and Get tells whose it is.
func (s *Store) Put(ctx context.Context, collection string, r counters.Record) (counters.Record, error) {
	document, err := recordDocument(collection, r)
	if err != nil {
		return counters.Record{}, err
	}
	if err := s.usable(ctx); err != nil {
		return counters.Record{}, err
	}
	limited, cancel := s.limit(ctx)
	defer cancel()
	var stored bool
	if r.Rev == 0 {
		_, err = s.records(collection).InsertOne(limited, document)
		stored = err == nil
	} else {
		var result *mongo.UpdateResult
		result, err = s.records(collection).ReplaceOne(limited, revision(r.ID, r.Rev), document)
		stored = err == nil && result.MatchedCount > 0
	}
	if mongo.IsDuplicateKeyError(err) || err == nil && !stored {
		return counters.Record{}, s.conflict(collection, r.ID)
	}
	if err != nil {
		return counters.Record{}, s.explain(ctx, err)
	}
	r.Rev++
	return r, nil
}

// Delete removes a record if it still has revision rev; otherwise the error is counters.ErrConflict, or
// counters.ErrNotFound if there is none.
func (s *Store) Delete(ctx context.Context, collection, id string, rev int64) error {
	if err := s.usable(ctx); err != nil {
		return err
	}
	limited, cancel := s.limit(ctx)
	defer cancel()
	result, err := s.records(collection).DeleteOne(limited, revision(id, rev))
	if err != nil || result.DeletedCount > 0 {
		return s.explain(ctx, err)
	}
	if _, err := s.Get(ctx, collection, id); err != nil {
		return err
	}
	return s.conflict(collection, id)
}

func (s *Store) records(collection string) *mongo.Collection {
	return s.primary(counters.RecordsDatabase, collection)
}

func revision(id string, rev int64) bson.D {
	return bson.D{{Key: fieldID, Value: id}, {Key: fieldRev, Value: rev}}
}

const fieldRev = "rev"

// recordDocument returns {_id, rev, …the fields of the body}, with the revision that r gets by being stored.
func recordDocument(collection string, r counters.Record) (bson.D, error) {
	if collection == "" || strings.HasPrefix(collection, "system.") || strings.Contains(collection, "$") || !counters.Storable(collection) {
		return nil, fmt.Errorf("%q cannot be the name of a collection", collection)
	}
	if r.ID == "" || !counters.Storable(r.ID) || r.Rev < 0 {
		return nil, fmt.Errorf("%s: record %q with revision %d: id or revision is impossible", collection, r.ID, r.Rev)
	}
	body, err := fromJSON(r.Body)
	if err != nil {
		return nil, fmt.Errorf("%s: record %q: its body is not a JSON object: %w", collection, r.ID, err)
	}
	for _, e := range body {
		if e.Key == fieldID || e.Key == fieldRev {
			return nil, fmt.Errorf("%s: record %q: its body has a field %q", collection, r.ID, e.Key)
		}
	}
	return append(revision(r.ID, r.Rev+1), body...), nil
}

func recordOf(raw bson.Raw) (r counters.Record, err error) {
	var document bson.D
	if err := bson.Unmarshal(raw, &document); err != nil {
		return r, err
	}
	body := bson.D{}
	for _, e := range document {
		switch e.Key {
		case fieldID:
			r.ID, _ = e.Value.(string)
		case fieldRev:
			r.Rev = number(raw.Lookup(fieldRev))
		default:
			body = append(body, e)
		}
	}
	r.Body, err = toJSON(body)
	return r, err
}

func (s *Store) notFound(collection, id string) error {
	text := fmt.Sprintf("%s: %s: %q: %v", s.config.address, collection, id, counters.ErrNotFound)
	return &storeError{text, counters.ErrNotFound}
}

func (s *Store) conflict(collection, id string) error {
	text := fmt.Sprintf("%s: %s: %q: %v: read it again", s.config.address, collection, id, counters.ErrConflict)
	return &storeError{text, counters.ErrConflict}
}
