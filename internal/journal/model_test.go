package journal

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// model is a journal as it should be: a queue of the records that were not released.
type model struct {
	t     *testing.T
	opts  Options
	j     *Journal
	queue []string
	count int
	token uint64 // of the newest segment read
}

// TestModel runs random appends, seals, reads, releases, crashes and restarts: every record comes out once, in order.
func TestModel(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		m := &model{t: t, opts: small(t.TempDir())}
		m.opts.MaxBytes = 6 * minSegmentBytes
		m.opts.OnDamage = func(e *CorruptionError) { r.Errorf("damage: %v", e) }
		m.start(r)
		defer func() { must(t, m.j.Close()) }()
		r.Repeat(map[string]func(*rapid.T){
			"":            m.check,
			"append":      m.append,
			"append many": func(r *rapid.T) { m.appendMany(r) },
			"seal":        func(*rapid.T) { m.j.Seal() },
			"read":        func(r *rapid.T) { m.read(r) },
			"release":     m.release,
			"sync":        m.sync,
			"crash":       func(r *rapid.T) { crash(t, m.j); m.start(r) },
			"close":       func(r *rapid.T) { must(t, m.j.Close()); m.start(r) },
		})
	})
}

func (m *model) start(r *rapid.T) {
	j, err := Open(m.opts)
	if err != nil {
		r.Fatal(err)
	}
	m.j = j
	if s := j.Stats(); s.Recovered != uint64(len(m.queue)) {
		r.Fatalf("recovered %d records of %d", s.Recovered, len(m.queue))
	}
}

func (m *model) check(r *rapid.T) {
	s := m.j.Stats()
	if s.Appended != s.Released+s.Lost+s.Pending || s.Pending != uint64(len(m.queue)) || s.Bytes > m.opts.MaxBytes {
		r.Fatalf("%d records in the queue, %+v", len(m.queue), s)
	}
}

func (m *model) add(r *rapid.T, size int) bool {
	record := fmt.Sprintf("%d %*d", m.count, size, m.count)
	m.count++
	_, err := m.j.Append([]byte(record))
	if err == nil {
		m.queue = append(m.queue, record)
	}
	return err == nil
}

func (m *model) append(r *rapid.T) { m.add(r, rapid.IntRange(0, 50_000).Draw(r, "size")) }

func (m *model) appendMany(r *rapid.T) {
	size := rapid.IntRange(0, 500).Draw(r, "size")
	for n := rapid.IntRange(1, 500).Draw(r, "records"); n > 0 && m.add(r, size); n-- {
	}
}

func (m *model) sync(r *rapid.T) {
	if p, err := m.j.Append([]byte("synced")); err == nil {
		m.queue = append(m.queue, "synced")
		must(m.t, m.j.WaitSynced(p))
	}
}

// read compares the oldest segment with the head of the queue.
func (m *model) read(r *rapid.T) (*Segment, int) {
	s, ok := m.j.Oldest()
	if !ok {
		return nil, 0
	}
	got := read(m.t, s)
	if len(got) > len(m.queue) || !slices.Equal(got, m.queue[:len(got)]) || s.Token() < m.token {
		r.Fatalf("segment %d delivers %d records that are not the oldest", s.Token(), len(got))
	}
	m.token = s.Token()
	return s, len(got)
}

func (m *model) release(r *rapid.T) {
	if s, n := m.read(r); s != nil {
		must(m.t, m.j.Release(s))
		m.queue = m.queue[n:]
		m.token++
	}
}

// TestStress appends from several goroutines while another one seals, reads and releases: each writer's records come
// out once and in order, whatever the reader does.
func TestStress(t *testing.T) {
	o := small(t.TempDir())
	o.SyncEvery = time.Millisecond
	j := mustOpen(t, o)
	const writers, each = 4, 3000
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() { stressWriter(t, j, w, each) })
	}
	done := make(chan struct{})
	go func() { wg.Wait(); close(done) }()
	var next [writers]int
	for running := true; running; {
		select {
		case <-done:
			running = false
		default:
		}
		for _, r := range drain(t, j) {
			var w, n int
			if _, err := fmt.Sscanf(r, "%d %d", &w, &n); err != nil || n != next[w] {
				t.Fatalf("record %.20q, want number %d", r, next[w])
			}
			next[w]++
		}
	}
	for w, n := range next {
		if n != each {
			t.Errorf("writer %d: %d records of %d", w, n, each)
		}
	}
}

func stressWriter(t *testing.T, j *Journal, w, each int) {
	for n := 0; n < each; {
		p, err := j.Append(fmt.Appendf(nil, "%d %d %*d", w, n, n%3000, 0))
		if errors.Is(err, ErrFull) {
			time.Sleep(time.Millisecond) // the reader makes room
			continue
		}
		if err != nil {
			t.Error(err)
			return
		}
		n++
		if n%100 == w {
			if err := j.WaitSynced(p); err != nil {
				t.Error(err)
			}
			_ = j.Stats()
		}
	}
}
