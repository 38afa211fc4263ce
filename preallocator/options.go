package preallocator

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/rs/zerolog"

	"precount/internal/counters"
	"precount/internal/lease"
	"precount/internal/sites"
)

// A Store is where the documents are.
type Store interface {
	// Scan yields the documents of a collection whose _id begins with prefix, in the order of their _ids.
	Scan(ctx context.Context, c counters.Collection, prefix string) iter.Seq2[counters.Document, error]
	// IDs yields the _ids that Scan would yield.
	IDs(ctx context.Context, c counters.Collection, prefix string) iter.Seq2[string, error]
	// Insert makes the collection exist, and in it the documents of the keys, all zero, if they do not exist; it returns
	// how many it inserted. Engines that keep the collectors' tokens in the documents put a zero there for each collector.
	Insert(ctx context.Context, c counters.Collection, keys []counters.Key, collectors []string) (inserted int, err error)
}

// Records is where jobs and live collectors are written down.
type Records interface {
	lease.Records
	// List returns all records of a collection.
	List(ctx context.Context, collection string) ([]counters.Record, error)
}

// Limits of options.
const (
	DefaultDays     = 3
	DefaultMinViews = 10
	MaxDays         = 28 // of the shortest month
	MaxAhead        = 12 // months
)

// Options configure a Preallocator. Store, Records, Sites and Owner are needed; other zero fields mean the default.
type Options struct {
	Store   Store
	Records Records
	Sites   func() *sites.Directory
	Owner   string  // names this process, and tells it from others
	Cluster Cluster // of a store that may be a sharded cluster; nil: it is none

	MinViews int64                  // DefaultMinViews; documents with fewer views in the source month get no template
	Caps     Caps                   // see there
	Wishes   []Wish                 // pages to prepare whatever their views
	Size     func(counters.Key) int // bytes that a template takes, for estimates; BSONSize

	Days int           // DefaultDays; Run spreads its work over so many last days of a month
	Rate int           // 2,000; templates per second that Run inserts
	Poll time.Duration // 5 s; how soon Run sees a new site
	TTL  time.Duration // lease.DefaultTTL
	Now  func() time.Time
	Log  zerolog.Logger
}

// Caps bound how many documents a site has in a month (DESIGN, section 6). Documents that are there already count. Zero
// fields mean the default.
type Caps struct {
	Pages    int // 50,000
	Sections int // 5,000
	Values   int // 2,000, of one attribute
}

func (o *Options) check() error {
	switch {
	case o.Store == nil || o.Records == nil || o.Sites == nil || o.Owner == "":
		return errors.New("preallocator: Store, Records, Sites and Owner are needed")
	case o.MinViews < 0:
		return fmt.Errorf("min views %d: want 1 or more", o.MinViews)
	case o.Days < 0 || o.Days > MaxDays:
		return fmt.Errorf("preallocate in the last %d days: want 1 to %d", o.Days, MaxDays)
	case o.Rate < 0 || o.Poll < 0:
		return fmt.Errorf("rate %d, poll %v: want 0 or more", o.Rate, o.Poll)
	}
	return nil
}

func (o *Options) setDefaults() {
	orElse(&o.MinViews, DefaultMinViews)
	orElse(&o.Caps.Pages, 50_000)
	orElse(&o.Caps.Sections, 5_000)
	orElse(&o.Caps.Values, 2_000)
	orElse(&o.Days, DefaultDays)
	orElse(&o.Rate, 2_000)
	orElse(&o.Poll, 5*time.Second)
	orElse(&o.TTL, lease.DefaultTTL)
	if o.Size == nil {
		o.Size = BSONSize
	}
	if o.Now == nil {
		o.Now = time.Now
	}
}

func orElse[T comparable](to *T, value T) {
	var zero T
	if *to == zero {
		*to = value
	}
}

// A Preallocator prepares months. Its methods may be called at the same time, but Run once.
type Preallocator struct {
	options Options
	wishes  map[string][]string // paths by base
	memory  memory              // of Run
	outage  outage              // of Run
}

// New checks the options and returns a Preallocator.
func New(o Options) (*Preallocator, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	o.setDefaults()
	return &Preallocator{options: o, wishes: pathsByBase(o.Wishes), memory: newMemory(),
		outage: outage{log: o.Log, now: o.Now}}, nil
}
