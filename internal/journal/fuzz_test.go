package journal

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// sample is a segment with ten records, sealed or not, with old records of a former life behind them.
func sample(sealed bool) (header, []byte) {
	h := header{number: 5, previous: 4, salt: 0xfedcba9876543210, id: "c0ffee0ddba11000"}
	data := make([]byte, 1024)
	old := newKey(header{number: 4, salt: 99})
	for at := dataAt; at+40 <= len(data); at += 32 {
		old.put(data[at:at+24+endMark], []byte("old life here ab"))
	}
	h.put(data)
	end := int64(dataAt)
	for i := range 10 {
		r := fmt.Appendf(nil, "record %0*d", i, i)
		next := end + recordSize(len(r))
		newKey(h).put(data[end:next+endMark], r)
		end = next
	}
	if sealed {
		seal{end: end, count: 10}.put(data, newKey(h))
	}
	return h, data
}

func originals() []string {
	var list []string
	for i := range 10 {
		list = append(list, fmt.Sprintf("record %0*d", i, i))
	}
	return list
}

// FuzzSegment damages a segment in up to two places and cuts it. The journal must open, deliver a subsequence of what
// was written and nothing else, twice the same, and its books must balance.
func FuzzSegment(f *testing.F) {
	f.Add(true, uint16(200), []byte{0}, uint16(0), []byte{}, uint16(1024))
	f.Add(false, uint16(200), []byte{0xff}, uint16(300), []byte{1, 2, 3}, uint16(1024))
	f.Add(false, uint16(128), make([]byte, 64), uint16(60), []byte{0}, uint16(500))
	f.Add(true, uint16(64), []byte{0xff, 0xff, 0xff, 0xff}, uint16(84), []byte{0, 0, 0, 0}, uint16(1024))
	f.Add(true, uint16(136), []byte("forged"), uint16(1000), []byte{7}, uint16(130))
	f.Fuzz(func(t *testing.T, sealed bool, at1 uint16, bytes1 []byte, at2 uint16, bytes2 []byte, size uint16) {
		_, data := sample(sealed)
		copy(data[int(at1)%len(data):], bytes1)
		copy(data[int(at2)%len(data):], bytes2)
		checkDecoded(t, data[:int(size)%(len(data)+1)])
	})
}

func checkDecoded(t *testing.T, data []byte) {
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, idName), []byte("c0ffee0ddba11000"), 0o600))
	name := filepath.Join(dir, "0000000000000005.seg")
	must(t, os.WriteFile(name, data, 0o600))
	j, err := Open(small(dir))
	if errors.Is(err, errVersion) { // of the future: the only thing that is not for us to open, nor to change
		if kept, err := os.ReadFile(name); err != nil || !bytes.Equal(kept, data) {
			t.Fatalf("a newer version's segment was changed: %v", err)
		}
		return
	}
	must(t, err)
	defer func() { must(t, j.Close()) }()
	s, ok := j.Oldest()
	if !ok {
		return
	}
	got := read(t, s)
	if !slices.Equal(got, read(t, s)) {
		t.Fatal("reads differ")
	}
	rest := originals()
	for _, r := range got {
		i := slices.Index(rest, r)
		if i < 0 {
			t.Fatalf("%q was not written, or not in this order", r)
		}
		rest = rest[i+1:]
	}
	drain(t, j)
}

// FuzzWalk feeds arbitrary bytes to the decoder alone, which is much faster.
func FuzzWalk(f *testing.F) {
	_, sealed := sample(true)
	_, open := sample(false)
	f.Add(sealed, int64(1024))
	f.Add(open, int64(1<<40))
	f.Add([]byte{}, int64(-1))
	f.Fuzz(func(t *testing.T, data []byte, limit int64) {
		h, _ := sample(true)
		w := newWalker(data, newKey(h), limit)
		known := originals()
		for r := w.next(); r != nil; r = w.next() {
			if !slices.Contains(known, string(r)) {
				t.Fatalf("%q was not written", r)
			}
		}
		if w.end < dataAt || w.count > uint64(len(data)/16) {
			t.Fatalf("end %d, %d records", w.end, w.count)
		}
		if _, err := parseHeader(data); err == nil {
			_, _, _ = parseSeal(data, w.key)
		}
	})
}
