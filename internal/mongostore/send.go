package mongostore

import (
	"context"
	"errors"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/mongo/readconcern"
)

// A result is what became of the steps of one command.
type result struct {
	sound    []step // those without an error
	count    int    // how many of them matched, or were inserted
	failed   []step // to be sent again
	rejected []rejectedStep
}

func (r *result) add(o result) {
	r.sound = append(r.sound, o.sound...)
	r.count += o.count
	r.failed = append(r.failed, o.failed...)
	r.rejected = append(r.rejected, o.rejected...)
}

func (b *bulk) update(ctx context.Context, steps []step) (result, error) {
	models := make([]mongo.WriteModel, len(steps))
	for i := range steps {
		models[i] = updateOf(&steps[i], b.collector, b.token)
	}
	return b.send(ctx, steps, models)
}

func (b *bulk) insert(ctx context.Context, steps []step) (result, error) {
	models := make([]mongo.WriteModel, len(steps))
	for i := range steps {
		models[i] = mongo.NewInsertOneModel().SetDocument(documentOf(&steps[i], b.collector, b.token))
	}
	return b.send(ctx, steps, models)
}

// send sends one unordered bulk, and sorts what came back. An error is of the bulk as a whole.
func (b *bulk) send(ctx context.Context, steps []step, models []mongo.WriteModel) (result, error) {
	limited, cancel := b.store.limit(ctx)
	defer cancel()
	written, err := b.target.BulkWrite(limited, models, options.BulkWrite().SetOrdered(false))
	var partial mongo.BulkWriteException
	switch {
	case isTooLarge(err):
		return b.halve(ctx, steps, models, err)
	case err == nil:
		return result{sound: steps, count: int(written.MatchedCount + written.InsertedCount)}, nil
	case !errors.As(err, &partial) || partial.WriteConcernError != nil || written == nil:
		return result{}, err
	}
	r := b.sort(steps, partial.WriteErrors)
	r.count = int(written.MatchedCount + written.InsertedCount)
	return r, nil
}

// sort tells the steps without an error from those that failed for now or for good.
func (b *bulk) sort(steps []step, errs []mongo.BulkWriteError) (r result) {
	byIndex := make(map[int]*mongo.BulkWriteError, len(errs))
	for i := range errs {
		byIndex[errs[i].Index] = &errs[i]
	}
	for i := range steps {
		switch e := byIndex[i]; {
		case e == nil:
			r.sound = append(r.sound, steps[i])
		case isPermanent(e.Code, e.Message):
			r.rejected = append(r.rejected, rejectedStep{steps[i], e.Code, e.Message})
		default: // of an insert also codeDuplicateKey: somebody else was faster, the next round updates
			if e.Code != codeDuplicateKey {
				b.trouble = e.WriteError
			}
			r.failed = append(r.failed, steps[i])
		}
	}
	return r
}

// halve sends a bulk that is too large for the server in two parts; what is too large alone is rejected.
func (b *bulk) halve(ctx context.Context, steps []step, models []mongo.WriteModel, tooLarge error) (result, error) {
	if len(steps) == 1 {
		return result{rejected: []rejectedStep{{steps[0], codeTooLarge, tooLarge.Error()}}}, nil
	}
	half := len(steps) / 2
	r, err := b.send(ctx, steps[:half], models[:half])
	if err != nil {
		return result{}, err
	}
	second, err := b.send(ctx, steps[half:], models[half:])
	r.add(second)
	return r, err
}

// states asks the server for the documents of the steps. It reads what a majority has, because what it reads decides
// that a step need not be applied: a token that an election takes back again must not be seen.
func (b *bulk) states(ctx context.Context, steps []step) (missing, behind []step, err error) {
	if len(steps) == 0 {
		return nil, nil, nil
	}
	limited, cancel := b.store.limit(ctx)
	defer cancel()
	ids := make(bson.A, len(steps))
	for i := range steps {
		ids[i] = steps[i].id
	}
	target := b.target.Clone(options.Collection().SetReadConcern(readconcern.Majority()))
	cursor, err := target.Find(limited, bson.D{{Key: fieldID, Value: bson.D{{Key: "$in", Value: ids}}}},
		options.Find().SetBatchSize(batchSize).SetProjection(bson.D{{Key: fieldW + "." + b.collector, Value: 1}}))
	if err != nil {
		return nil, nil, err
	}
	defer cursor.Close(limited)
	tokens := make(map[string]int64, len(steps))
	for cursor.Next(limited) {
		token, _ := cursor.Current.Lookup(fieldW, b.collector).AsInt64OK()
		tokens[cursor.Current.Lookup(fieldID).StringValue()] = token
	}
	for _, st := range steps {
		if token, exists := tokens[st.id]; !exists {
			missing = append(missing, st)
		} else if token < b.token {
			behind = append(behind, st)
		}
	}
	return missing, behind, cursor.Err()
}
