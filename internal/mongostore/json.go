package mongostore

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"precount/internal/counters"
)

// maxDepth is how deep a body may be nested; BSON ends at 100 levels.
const maxDepth = 64

// fromJSON turns a JSON object into real fields, so that the shell can ask for them. What has no fraction and fits in 64
// bits becomes an int64, other numbers a double, dates stay strings. Names keep their order; of two equal names the
// last one counts, as everywhere in Go.
func fromJSON(text []byte) (bson.D, error) {
	if !counters.Storable(string(text)) {
		return nil, errors.New("it is not UTF-8 or contains a zero byte")
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	value, err := readValue(dec, 0)
	if err != nil {
		return nil, err
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, errors.New("something follows after it")
	}
	object, ok := value.(bson.D)
	if !ok {
		return nil, errors.New("it is something else")
	}
	return object, nil
}

func readValue(dec *json.Decoder, depth int) (any, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("it is nested deeper than %d", maxDepth)
	}
	token, err := dec.Token()
	if err != nil {
		return nil, err
	}
	switch t := token.(type) {
	case json.Delim:
		if t == '{' {
			return readObject(dec, depth)
		}
		return readArray(dec, depth)
	case json.Number:
		return readNumber(t)
	default: // string, bool, nil
		return t, nil
	}
}

func readObject(dec *json.Decoder, depth int) (any, error) {
	object, places := bson.D{}, map[string]int{}
	for dec.More() {
		token, err := dec.Token()
		if err != nil {
			return nil, err
		}
		key := token.(string) // the decoder sees to it
		if !counters.Storable(key) {
			return nil, fmt.Errorf("a name in it contains a zero byte: %q", key)
		}
		value, err := readValue(dec, depth+1)
		if err != nil {
			return nil, err
		}
		if i, again := places[key]; again {
			object[i].Value = value
			continue
		}
		places[key] = len(object)
		object = append(object, bson.E{Key: key, Value: value})
	}
	_, err := dec.Token()
	return object, err
}

func readArray(dec *json.Decoder, depth int) (any, error) {
	array := bson.A{}
	for dec.More() {
		value, err := readValue(dec, depth+1)
		if err != nil {
			return nil, err
		}
		array = append(array, value)
	}
	_, err := dec.Token()
	return array, err
}

func readNumber(n json.Number) (any, error) {
	if i, err := strconv.ParseInt(n.String(), 10, 64); err == nil && n != "-0" {
		return i, nil
	}
	return n.Float64()
}

// toJSON is the inverse. It also writes what fromJSON never stores, but the shell may have: a date as RFC 3339, an
// ObjectID as its digits, bytes as base64, the rest as a text.
func toJSON(object bson.D) ([]byte, error) {
	var b bytes.Buffer
	if err := writeValue(&b, object); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

func writeValue(b *bytes.Buffer, value any) error {
	switch v := value.(type) {
	case bson.D:
		return writeObject(b, v)
	case bson.A:
		b.WriteByte('[')
		for i, e := range v {
			if i > 0 {
				b.WriteByte(',')
			}
			if err := writeValue(b, e); err != nil {
				return err
			}
		}
		b.WriteByte(']')
		return nil
	case float64:
		if math.IsInf(v, 0) || math.IsNaN(v) {
			return writeValue(b, strconv.FormatFloat(v, 'g', -1, 64))
		}
	case bson.DateTime:
		return writeValue(b, v.Time().UTC().Format(time.RFC3339Nano))
	case bson.ObjectID:
		return writeValue(b, v.Hex())
	case bson.Binary:
		return writeValue(b, base64.StdEncoding.EncodeToString(v.Data))
	case nil, string, bool, int32, int64:
	default:
		return writeValue(b, strings.TrimSpace(fmt.Sprint(v)))
	}
	text, err := json.Marshal(value)
	b.Write(text)
	return err
}

func writeObject(b *bytes.Buffer, object bson.D) error {
	b.WriteByte('{')
	for i, e := range object {
		if i > 0 {
			b.WriteByte(',')
		}
		if err := writeValue(b, e.Key); err != nil {
			return err
		}
		b.WriteByte(':')
		if err := writeValue(b, e.Value); err != nil {
			return err
		}
	}
	b.WriteByte('}')
	return nil
}
