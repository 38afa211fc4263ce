package mongostore

import (
	"slices"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"precount/internal/counters"
)

// updateOf returns what the step does to a document that exists. The filter does not match if the collector's token
// shows that it is done already, so it can be sent as often as one likes. It does not insert: documentOf does.
//
//	{_id: "org.mongodb/docs/", "w.<collector>": {$not: {$gte: token}}}
//	{$inc: {total: 3, "days.20": 3}, $max: {"r.17": 4, "w.<collector>": token}}
//
// Nothing that a visitor sent can be taken for an operator: it stands in values only, and a value of $not or $inc is
// never a string.
func updateOf(st *step, collector string, token int64) mongo.WriteModel {
	w := fieldW + "." + collector
	filter := document(nil, func(b []byte) []byte {
		b = bsoncore.AppendStringElement(b, fieldID, st.id)
		return nested(b, w, func(b []byte) []byte {
			return nested(b, "$not", func(b []byte) []byte { return bsoncore.AppendInt64Element(b, "$gte", token) })
		})
	})
	update := document(nil, func(b []byte) []byte {
		if len(st.update.Inc) > 0 {
			b = nested(b, "$inc", func(b []byte) []byte { return appendDeltas(b, st.update.Inc) })
		}
		return nested(b, "$max", func(b []byte) []byte {
			return bsoncore.AppendInt64Element(appendDeltas(b, st.update.Max), w, token)
		})
	})
	return mongo.NewUpdateOneModel().SetFilter(bson.Raw(filter)).SetUpdate(bson.Raw(update))
}

func appendDeltas(b []byte, deltas []counters.Delta) []byte {
	for _, d := range deltas {
		b = bsoncore.AppendInt64Element(b, string(d.Field), d.N)
	}
	return b
}

// documentOf returns the whole document as it is after the step, if there was none before: the template's zeros with the
// step's numbers in their places, and the collector's token. Inserting it is at once creating and applying.
func documentOf(st *step, collector string, token int64) bson.Raw {
	return newDocument(st.update, st.id, []string{collector}, token)
}

// template returns a new document with all counters zero, and no token yet of each of the collectors: a later update
// then adds no field to it.
func template(k counters.Key, id string, collectors []string) bson.Raw {
	return newDocument(&counters.Update{Key: k}, id, collectors, 0)
}

func newDocument(u *counters.Update, id string, collectors []string, token int64) bson.Raw {
	return document(make([]byte, 0, 640), func(b []byte) []byte {
		b = bsoncore.AppendStringElement(b, fieldID, id)
		b = appendIdentity(b, u.Key)
		if u.Key.Collection.Kind == counters.Visitors {
			b = nested(b, fieldR, func(b []byte) []byte { return appendRegisters(b, u.Max) })
		} else {
			b = appendCounters(b, u)
		}
		return nested(b, fieldW, func(b []byte) []byte {
			for _, collector := range collectors {
				b = bsoncore.AppendInt64Element(b, collector, token)
			}
			return b
		})
	})
}

func appendIdentity(b []byte, k counters.Key) []byte {
	for _, v := range k.Identity() {
		switch value := v.V.(type) {
		case string:
			b = bsoncore.AppendStringElement(b, string(v.Field), value)
		case int64:
			b = bsoncore.AppendInt64Element(b, string(v.Field), value)
		}
	}
	return b
}

// appendCounters writes total and the sub-document of days or hours.
func appendCounters(b []byte, u *counters.Update) []byte {
	var values [32]int64 // in the order of Collection.Counters
	for _, d := range u.Inc {
		i, _ := u.Key.Collection.CounterIndex(d.Field)
		values[i] = d.N
	}
	b = bsoncore.AppendInt64Element(b, fieldTotal, values[0])
	name, first, last := series(u.Key.Collection)
	return nested(b, name, func(b []byte) []byte {
		for n := first; n <= last; n++ {
			b = bsoncore.AppendInt64Element(b, digits[n], values[1+n-first])
		}
		return b
	})
}

// appendRegisters writes the registers that are set, by rising number.
func appendRegisters(b []byte, registers []counters.Delta) []byte {
	var ranks [counters.Registers]int16 // 0 is not there, 1 is a zero
	for _, d := range registers {
		i, _ := counters.RegisterIndex(d.Field)
		ranks[i] = max(ranks[i], int16(d.N)+1)
	}
	for i, rank := range ranks {
		if rank > 0 {
			b = bsoncore.AppendInt64Element(b, digits[i], int64(rank)-1)
		}
	}
	return b
}

// document appends a document whose elements fill writes.
func document(b []byte, fill func([]byte) []byte) []byte {
	index, b := bsoncore.AppendDocumentStart(b)
	b, _ = bsoncore.AppendDocumentEnd(fill(b), index) // fails only for an index out of range
	return slices.Clip(b)
}

func nested(b []byte, key string, fill func([]byte) []byte) []byte {
	index, b := bsoncore.AppendDocumentElementStart(b, key)
	b, _ = bsoncore.AppendDocumentEnd(fill(b), index)
	return b
}
