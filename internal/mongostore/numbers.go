package mongostore

import (
	"bytes"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"
)

// eachNumber calls f for each entry of the sub-document whose key is a number. Top reads millions of them, so nothing is
// allocated: 100,000 documents with 30 days each take 60 ms, and took 250 with bson.Raw's Elements.
func eachNumber(raw bson.Raw, name string, f func(key int, value int64)) {
	sub, ok := raw.Lookup(name).DocumentOK()
	if !ok || len(sub) < 5 {
		return
	}
	for rest := sub[4:]; len(rest) > 1; {
		end := bytes.IndexByte(rest, 0)
		if end < 1 {
			return
		}
		kind, key := bsoncore.Type(rest[0]), rest[1:end]
		value, after, ok := bsoncore.ReadValue(rest[end+1:], kind)
		if !ok {
			return
		}
		if n, ok := naturalKey(key); ok {
			f(n, number(bson.RawValue{Type: bson.Type(kind), Value: value.Data}))
		}
		rest = after
	}
}

// naturalKey reads a key of up to four digits as counters writes it.
func naturalKey(key []byte) (n int, ok bool) {
	if len(key) == 0 || len(key) > 4 || key[0] == '0' && len(key) > 1 {
		return 0, false
	}
	for _, c := range key {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = 10*n + int(c-'0')
	}
	return n, true
}

// number reads a counter. Ours are int64; the shell writes doubles, other tools 32-bit integers. What is no number is 0.
func number(v bson.RawValue) int64 {
	if v.Type == bson.TypeInt64 {
		n, _, _ := bsoncore.ReadInt64(v.Value)
		return n
	}
	n, _ := v.AsInt64OK()
	return n
}
