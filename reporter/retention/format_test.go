package retention

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"precount/internal/counters"
)

var update = flag.Bool("update", false, "write the golden files anew")

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		must(t, os.MkdirAll("testdata", 0o755))
		must(t, os.WriteFile(path, got, 0o644))
	}
	want, err := os.ReadFile(path)
	must(t, err)
	if !bytes.Equal(got, want) {
		t.Errorf("differs from %s (write it anew with -update):\n%s", path, got)
	}
}

// oneOfEach returns a document of each kind.
func oneOfEach() []counters.Document {
	days := make([]int64, 31)
	days[0], days[30] = 4500, 1<<62
	hours := make([]int64, 24)
	hours[23] = 7
	registers := make([]byte, counters.Registers)
	registers[17], registers[2047] = 4, 53
	return []counters.Document{
		{Key: counters.PageKey(oct25, base, "/docs/\"$x\"\\\t日本語/</script>"), Total: 1<<62 + 4500, Counts: days},
		{Key: counters.HoursKey(oct25, base, 5), Total: 7, Counts: hours},
		{Key: counters.SectionKey(oct25, base, 1, "/docs/"), Total: 99, Counts: days},
		{Key: counters.AttrKey(oct25, base, "browser", "Fire|fox"), Total: 3, Counts: days},
		{Key: counters.VisitorsKey(oct25, base, 5), Registers: registers},
	}
}

// TestFormat holds the archive's format: other programs read it.
func TestFormat(t *testing.T) {
	var lines []byte
	for _, doc := range oneOfEach() {
		line := appendDocument(nil, &doc)
		lines = append(append(lines, line...), '\n')
		back, err := parseDocument(doc.Key.Collection, line)
		must(t, err)
		if !reflect.DeepEqual(back, doc) {
			t.Errorf("%s comes back as %+v", line, back)
		}
	}
	golden(t, "documents.golden", lines)
	m := Manifest{Format: manifestFormat, Month: "2025-10", Engine: "sqlite", Version: "v1", Created: time.Date(2026, 11, 1, 3, 4, 5, 0, time.UTC),
		Collections: []FileEntry{{"sites-oct", "sites-oct.jsonl.zst", 2, 5, 99, 800, strings.Repeat("0", 64)}}}
	data, err := m.encode()
	must(t, err)
	golden(t, "manifest.golden", data)
}

// TestOtherProgramsReadIt: encoding/json, told nothing of our types, finds every count under the names of DESIGN, section 2.
func TestOtherProgramsReadIt(t *testing.T) {
	for _, doc := range oneOfEach() {
		var fields map[string]any
		must(t, json.Unmarshal(appendDocument(nil, &doc), &fields))
		number := func(v any) int64 {
			n, err := strconv.ParseInt(v.(map[string]any)["$numberLong"].(string), 10, 64)
			must(t, err)
			return n
		}
		if fields["_id"] != doc.Key.ID() || fields["base"] != base || fields["w"] != nil {
			t.Errorf("%v", fields)
		}
		if doc.Registers != nil {
			for name, n := range fields["r"].(map[string]any) {
				i, _ := strconv.Atoi(name)
				if number(n) != int64(doc.Registers[i]) || doc.Registers[i] == 0 {
					t.Errorf("register %d", i)
				}
			}
			continue
		}
		name, first := "days", 1
		if doc.Key.Collection.Kind == counters.Hours {
			name, first = "hours", 0
		}
		counts := fields[name].(map[string]any)
		for i, n := range doc.Counts {
			if number(counts[strconv.Itoa(first+i)]) != n || len(counts) != len(doc.Counts) {
				t.Errorf("%s %s.%d", doc.Key.ID(), name, first+i)
			}
		}
		if number(fields["total"]) != doc.Total {
			t.Error(fields["total"])
		}
	}
}

func FuzzParseDocument(f *testing.F) {
	for _, doc := range oneOfEach() {
		f.Add(uint8(doc.Key.Collection.Kind), appendDocument(nil, &doc))
	}
	f.Add(uint8(0), []byte(`{"_id":"a/","_id":"b/"}`))
	f.Add(uint8(4), []byte(`{"_id":"a|05","base":"a","day":{"$numberLong":"5"},"r":{"00":{"$numberLong":"1"}}}`))
	f.Fuzz(func(t *testing.T, kind uint8, line []byte) {
		c := counters.Collection{Month: oct25, Kind: counters.Kind(kind % 5)}
		doc, err := parseDocument(c, line)
		if err == nil && !bytes.Equal(appendDocument(nil, &doc), line) {
			t.Errorf("%q is accepted as %q", line, appendDocument(nil, &doc))
		}
	})
}

func FuzzParseManifest(f *testing.F) {
	good, err := Manifest{Format: manifestFormat, Month: "2025-10", Collections: []FileEntry{{Collection: "sites-oct", File: "sites-oct.jsonl.zst"}}}.encode()
	must(f, err)
	f.Add(good)
	f.Add(bytes.Replace(good, []byte("sites-oct.jsonl"), []byte("../../x.jsonl"), 1))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, month, err := parseManifest(data)
		if err != nil {
			return
		}
		for _, e := range m.Collections {
			if c, ok := e.collection(month); !ok || strings.ContainsAny(e.File, `/\`) {
				t.Errorf("%v in %q", c, e.File)
			}
		}
	})
}

// FuzzReadFile: whatever bytes a file has, reading it ends, and gives only what the manifest promised.
func FuzzReadFile(f *testing.F) {
	dir := f.TempDir()
	a := archiver{store: one{}, dir: dir}
	e, err := a.collection(f.Context(), counters.Collection{Month: oct25})
	must(f, err)
	data, err := os.ReadFile(filepath.Join(dir, e.File))
	must(f, err)
	f.Add(data)
	f.Add(data[:len(data)/2])
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, changed []byte) {
		dir := t.TempDir()
		must(t, os.WriteFile(filepath.Join(dir, e.File), changed, 0o600))
		err := readFile(t.Context(), dir, oct25, e, func(counters.Document, []byte) error { return nil })
		if (err == nil) != bytes.Equal(changed, data) {
			t.Errorf("%d bytes: %v", len(changed), err)
		}
	})
}
