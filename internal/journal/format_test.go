package journal

import (
	"bytes"
	"encoding/hex"
	"os"
	"path/filepath"
	"testing"
)

// TestGolden holds the disk format: a file written today is read by every later version.
func TestGolden(t *testing.T) {
	h := header{number: 0x17, previous: 0x15, salt: 0x0123456789abcdef, id: "c0ffee0ddba11000"}
	b := bytes.Repeat([]byte{0xee}, 256) // a former life, none of which may stay
	h.put(b)
	end := int64(dataAt)
	k := newKey(h)
	for _, r := range []string{"a", "12345678", "nine bytes"} {
		next := end + recordSize(len(r))
		k.put(b[end:next+endMark], []byte(r))
		end = next
	}
	seal{end: end, count: 3}.put(b, k)
	got := hex.Dump(b[:end+endMark])

	path := filepath.Join("testdata", "segment.golden")
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("the disk format changed:\n%s\nwant\n%s", got, want)
	}
}

func TestHeaderReadsBack(t *testing.T) {
	h := header{number: 1, salt: 0, id: "c0ffee0ddba11000"}
	b := make([]byte, dataAt+endMark)
	h.put(b)
	if got, err := parseHeader(b); got != h || err != nil {
		t.Errorf("got %+v, %v", got, err)
	}
	if newKey(h).mark == 0 {
		t.Error("a mark of zero makes a length of zero")
	}
	if _, sealed, err := parseSeal(b, newKey(h)); sealed || err != nil {
		t.Errorf("fresh segment: sealed %v, %v", sealed, err)
	}
}

// A record is not taken for one of another segment, whichever part of the key differs.
func TestKeysDiffer(t *testing.T) {
	a := header{number: 7, salt: 1 << 60}
	record := make([]byte, 64)
	newKey(a).put(record, []byte("payload"))
	for name, b := range map[string]header{
		"number": {number: 8, salt: 1 << 60},
		"salt":   {number: 7, salt: 1<<60 + 1},
		"mark":   {number: 7, salt: 1 << 61},
	} {
		if newKey(b).record(record) != nil {
			t.Errorf("other %s: record was accepted", name)
		}
	}
	if got := newKey(a).record(record); string(got) != "payload" {
		t.Errorf("own record: %q", got)
	}
}
