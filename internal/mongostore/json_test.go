package mongostore

import (
	"strings"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
)

func TestJSONComesBackAsItWas(t *testing.T) {
	for _, text := range []string{
		`{}`, `{"b":1,"a":2}`, `{"n":[0,-1,9223372036854775807,-9223372036854775808,0.1,1e+300,-0]}`,
		`{"s":"ä \u0001 \" \\ 🙂","e":"","":1,"a.b":{"$c":[]}}`, `{"t":true,"f":false,"z":null,"o":{"o":{}},"l":[[],{}]}`,
		`{"at":"2026-11-20T12:00:00Z"}`,
	} {
		object, err := fromJSON([]byte(text))
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		raw, err := bson.Marshal(object)
		if err != nil {
			t.Fatal(err)
		}
		var back bson.D
		if err := bson.Unmarshal(raw, &back); err != nil {
			t.Fatal(err)
		}
		if got, err := toJSON(back); err != nil || string(got) != text {
			t.Errorf("%s comes back as %s, error %v", text, got, err)
		}
	}
}

func TestJSONTypes(t *testing.T) {
	object, err := fromJSON([]byte(`{"i":7,"f":7.5,"e":7e0,"big":18446744073709551615,"date":"2026-11-20","twice":1,"twice":2}`))
	if err != nil {
		t.Fatal(err)
	}
	want := bson.D{{Key: "i", Value: int64(7)}, {Key: "f", Value: 7.5}, {Key: "e", Value: 7.0},
		{Key: "big", Value: 18446744073709551615.0}, {Key: "date", Value: "2026-11-20"}, {Key: "twice", Value: int64(2)}}
	if got := extended(t, object); got != extended(t, want) {
		t.Errorf("%s, want %s", got, extended(t, want))
	}
}

func TestJSONRefused(t *testing.T) {
	deep := strings.Repeat(`{"a":`, 100) + "1" + strings.Repeat("}", 100)
	for _, text := range []string{"", "null", "[]", "7", "{", "{}{}", "{} x", `{"a":1,}`, `{"a"}`, "{\"a\":\"\xff\"}",
		`{"a\u0000":1}`, `{"n":1e999}`, deep} {
		if _, err := fromJSON([]byte(text)); err == nil {
			t.Errorf("%q is accepted", text)
		}
	}
}

// TestForeignTypes: what the shell writes can be read.
func TestForeignTypes(t *testing.T) {
	id, _ := bson.ObjectIDFromHex("5f00000000000000000000aa")
	got, err := toJSON(bson.D{{Key: "a", Value: int32(3)}, {Key: "b", Value: 3.0}, {Key: "c", Value: id},
		{Key: "d", Value: bson.NewDateTimeFromTime(time.Unix(1_800_000_000, 0))}, {Key: "e", Value: bson.Binary{Data: []byte{1}}},
		{Key: "f", Value: bson.Regex{Pattern: "x"}}})
	const want = `{"a":3,"b":3,"c":"5f00000000000000000000aa","d":"2027-01-15T08:00:00Z","e":"AQ==","f":`
	if err != nil || !strings.HasPrefix(string(got), want) {
		t.Errorf("%s, error %v", got, err)
	}
}
