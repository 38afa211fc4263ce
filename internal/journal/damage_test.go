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

// broken is a journal of three segments (records a0…a9 and b0…b9 sealed, c0…c9 open) whose process died.
type broken struct {
	dir   string
	a, b  string // paths of the sealed ones
	c     string // path of the open one
	key   key    // of c
	bytes []byte // of c
}

func breakable(t *testing.T) *broken {
	t.Helper()
	dir := t.TempDir()
	j := mustOpen(t, small(dir))
	paths := make([]string, 3)
	for i, name := range []string{"a", "b", "c"} {
		p := mustAppend(t, j, numbered(name, 10)...)
		paths[i] = j.path(p.Token(), segExt)
		if name != "c" {
			j.Seal()
		}
	}
	k := j.open.key
	crash(t, j)
	data, err := os.ReadFile(paths[2])
	if err != nil {
		t.Fatal(err)
	}
	return &broken{dir: dir, a: paths[0], b: paths[1], c: paths[2], key: k, bytes: data}
}

// record returns the offset of the n-th record; all are of 16 bytes.
func offset(n int) int64 { return dataAt + 16*int64(n) }

func patch(t *testing.T, path string, at int64, b ...byte) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.WriteAt(b, at)
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
}

func flip(t *testing.T, path string, at int64) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	patch(t, path, at, data[at]^0x10)
}

func copyTo(t *testing.T, from, to string) {
	t.Helper()
	data, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// without returns a0…a9 b0…b9 c0…c9 but for the records named; a letter alone drops a whole segment.
func without(names ...string) []string {
	all := slices.Concat(numbered("a", 10), numbered("b", 10), numbered("c", 10))
	return slices.DeleteFunc(all, func(r string) bool { return slices.Contains(names, r) || slices.Contains(names, r[:1]) })
}

type damageCase struct {
	name  string
	do    func(t *testing.T, b *broken)
	want  []string // records delivered
	errs  []error  // damages reported, in order of appearance
	aside int      // files in damaged/ afterwards
	lost  uint64
}

var damageCases = []damageCase{
	{name: "nothing", do: func(t *testing.T, b *broken) {}, want: without()},
	{name: "torn body at the end", do: func(t *testing.T, b *broken) {
		patch(t, b.c, offset(9)+recordHead+2, 0, 0)
	}, want: without("c-9")},
	{name: "torn length at the end", do: func(t *testing.T, b *broken) {
		patch(t, b.c, offset(10), 0x07, 0x55)
	}, want: without()},
	{name: "bad checksum in the middle", do: func(t *testing.T, b *broken) {
		flip(t, b.c, offset(4)+4)
	}, want: without("c-4"), errs: []error{errRecord}, aside: 1},
	{name: "bad length in the middle", do: func(t *testing.T, b *broken) {
		patch(t, b.c, offset(4), 0xff, 0xff, 0xff, 0xff)
	}, want: without("c-4"), errs: []error{errRecord}, aside: 1},
	{name: "two bad records with a sound one between", do: func(t *testing.T, b *broken) {
		flip(t, b.c, offset(4)+9)
		flip(t, b.c, offset(6)+9)
	}, want: without("c-4", "c-6"), errs: []error{errRecord}, aside: 1},
	{name: "zeros in the middle", do: func(t *testing.T, b *broken) {
		patch(t, b.c, offset(2), make([]byte, 48)...)
	}, want: without("c-2", "c-3", "c-4"), errs: []error{errRecord}, aside: 1},
	{name: "zeros from the middle on", do: func(t *testing.T, b *broken) {
		patch(t, b.c, offset(7), make([]byte, 200)...)
	}, want: without("c-7", "c-8", "c-9")},
	{name: "open file cut in a record", do: func(t *testing.T, b *broken) {
		must(t, os.Truncate(b.c, offset(7)+3))
	}, want: without("c-7", "c-8", "c-9")},
	{name: "torn header", do: func(t *testing.T, b *broken) {
		patch(t, b.c, 20, make([]byte, 60)...)
	}, want: without("c"), errs: []error{errHeaderChecksum}, aside: 1},
	{name: "torn seal", do: func(t *testing.T, b *broken) {
		patch(t, b.b, sealAt+8, make([]byte, 16)...)
	}, want: without()},
	{name: "bit flip in a seal", do: func(t *testing.T, b *broken) {
		flip(t, b.b, sealAt+8)
	}, want: without(), errs: []error{errSeal}, aside: 1},
	{name: "bit flip in a sealed record", do: func(t *testing.T, b *broken) {
		flip(t, b.a, offset(3)+recordHead)
	}, want: without("a-3"), errs: []error{errRecord}, aside: 1, lost: 1},
	{name: "bit flip in the last sealed record", do: func(t *testing.T, b *broken) {
		flip(t, b.a, offset(9)+recordHead)
	}, want: without("a-9"), errs: []error{errCount}, aside: 1, lost: 1},
	{name: "sealed file cut", do: func(t *testing.T, b *broken) {
		must(t, os.Truncate(b.b, offset(5)))
	}, want: without("b-5", "b-6", "b-7", "b-8", "b-9"), errs: []error{errCount}, aside: 1, lost: 5},
	{name: "missing segment", do: func(t *testing.T, b *broken) {
		must(t, os.Remove(b.b))
	}, want: without("b"), errs: []error{errMissing}},
	{name: "oldest segment missing", do: func(t *testing.T, b *broken) {
		must(t, os.Remove(b.a)) // as if released: nobody can know
	}, want: without("a")},
	{name: "junk file", do: func(t *testing.T, b *broken) {
		must(t, os.WriteFile(filepath.Join(b.dir, "core"), []byte("junk"), 0o600))
	}, want: without(), errs: []error{errStrange}, aside: 1},
	{name: "junk named like a segment", do: func(t *testing.T, b *broken) {
		must(t, os.WriteFile(filepath.Join(b.dir, "0000000000000777.seg"), bytes.Repeat([]byte("junk"), 100), 0o600))
	}, want: without(), errs: []error{errMagic}, aside: 1},
	{name: "file of zero length", do: func(t *testing.T, b *broken) {
		must(t, os.Truncate(b.b, 0))
	}, want: without("b"), errs: []error{errShort}, aside: 1},
	{name: "segment twice", do: func(t *testing.T, b *broken) {
		copyTo(t, b.a, filepath.Join(b.dir, "0000000000000777.seg"))
	}, want: without(), errs: []error{errNumber}, aside: 1},
	{name: "segments changed places", do: func(t *testing.T, b *broken) {
		copyTo(t, b.a, b.c)
	}, want: without("c"), errs: []error{errNumber}, aside: 1},
	{name: "foreign segment", do: func(t *testing.T, b *broken) {
		other := breakable(t)
		copyTo(t, other.b, b.b)
	}, want: without("b"), errs: []error{errForeign}, aside: 1},
	{name: "old records behind the end", do: func(t *testing.T, b *broken) {
		old := newKey(header{number: 1, salt: 12345})
		for n := 11; n < 100; n++ {
			rec := make([]byte, 16+endMark)
			old.put(rec, []byte("old-old"))
			patch(t, b.c, offset(n), rec...)
		}
	}, want: without()},
	{name: "old record right behind the end", do: func(t *testing.T, b *broken) {
		old, rec := newKey(header{number: 1, salt: 12345}), make([]byte, 16+endMark)
		old.put(rec, []byte("old-old"))
		patch(t, b.c, offset(10), rec...)
	}, want: without()},
	{name: "stale lock and half an id", do: func(t *testing.T, b *broken) {
		must(t, os.WriteFile(filepath.Join(b.dir, lockName), []byte("4711\n"), 0o600))
		must(t, os.WriteFile(filepath.Join(b.dir, idName+".tmp"), []byte("c0f"), 0o600))
	}, want: without()},
	{name: "names left alone", do: func(t *testing.T, b *broken) {
		must(t, os.Mkdir(filepath.Join(b.dir, "lost+found"), 0o700))
		must(t, os.WriteFile(filepath.Join(b.dir, ".DS_Store"), nil, 0o600))
	}, want: without()},
}

func TestDamage(t *testing.T) {
	for _, c := range damageCases {
		t.Run(c.name, func(t *testing.T) {
			b := breakable(t)
			c.do(t, b)
			var got []*CorruptionError
			o := small(b.dir)
			o.OnDamage = func(e *CorruptionError) { got = append(got, e) }
			j := mustOpen(t, o)
			if s, ok := j.Oldest(); ok { // reading twice changes nothing
				if first := read(t, s); !slices.Equal(first, read(t, s)) {
					t.Error("a segment reads differently the second time")
				}
			}
			if token := mustAppend(t, j, "new").Token(); token <= newestIn(t, b) {
				t.Errorf("token %d was given out before", token)
			}
			if records := drain(t, j); !slices.Equal(records, append(slices.Clone(c.want), "new")) {
				t.Errorf("got %q", records)
			}
			checkDamages(t, c, got)
			if s := j.Stats(); s.Lost != c.lost || s.Damaged != c.aside || s.Pending != 0 {
				t.Errorf("stats %+v", s)
			}
			must(t, j.Close())
			again := mustOpen(t, o)
			if s := again.Stats(); s.Recovered != 0 || s.Damaged != c.aside {
				t.Errorf("after another start: %+v", s)
			}
		})
	}
}

func newestIn(t *testing.T, b *broken) uint64 {
	number, ext := parseName(filepath.Base(b.c))
	if ext != segExt {
		t.Fatalf("name %s", b.c)
	}
	return number
}

func checkDamages(t *testing.T, c damageCase, got []*CorruptionError) {
	t.Helper()
	if len(got) != len(c.errs) {
		t.Fatalf("damages %v, want %v", got, c.errs)
	}
	for i, e := range got {
		if !errors.Is(e, c.errs[i]) || e.Path == "" || e.Error() == "" {
			t.Errorf("damage %+v, want %v", e, c.errs[i])
		}
	}
}

// Damage that was found by one process is found by the next one too, as long as the segment was not released.
func TestDamageSurvivesRestart(t *testing.T) {
	b := breakable(t)
	flip(t, b.c, offset(4)+9)
	for i := range 3 {
		var got []*CorruptionError
		o := small(b.dir)
		o.OnDamage = func(e *CorruptionError) { got = append(got, e) }
		j := mustOpen(t, o)
		var records []string
		for _, s := range slices.Clone(j.waiting) {
			records = append(records, read(t, s)...)
		}
		if want := without("c-4"); !slices.Equal(records, want) || len(got) != 1 {
			t.Fatalf("start %d: damages %v, got %q", i, got, records)
		}
		crash(t, j)
	}
}

// What is kept aside is bounded.
func TestDamagedIsBounded(t *testing.T) {
	dir := t.TempDir()
	for i := range maxDamaged + 20 {
		must(t, os.WriteFile(filepath.Join(dir, fmt.Sprintf("junk%d", i)), nil, 0o600))
	}
	j := mustOpen(t, small(dir))
	if n := j.Stats().Damaged; n != maxDamaged {
		t.Errorf("%d files kept aside, want %d", n, maxDamaged)
	}
	if n := len(list(t, filepath.Join(dir, damagedDir))); n != maxDamaged {
		t.Errorf("%d files in damaged/, want %d", n, maxDamaged)
	}
}
