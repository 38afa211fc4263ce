package sites

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"precount/internal/counters"
)

// A Site is one counted site with its settings. A Site that stands in a Directory is read-only and safe for concurrent
// use.
type Site struct {
	Host      string   `json:"host"`                 // canonical: "mongodb.org"
	Base      string   `json:"base"`                 // "org.mongodb"
	TimeZone  string   `json:"timezone"`             // IANA name: "Europe/Berlin"
	Aliases   []string `json:"alias,omitempty"`      // other canonical hosts that count here
	KeepQuery []string `json:"keep_query,omitempty"` // query parameters that are part of a page's path
	Public    bool     `json:"public,omitempty"`     // reports need no login
	DNT       bool     `json:"dnt,omitempty"`        // visitors who send DNT or Sec-GPC are not counted

	rev      int64
	location *time.Location
	hour     atomic.Pointer[localHour]
}

// Limits of one site's lists.
const (
	MaxAliases   = 100
	MaxKeepQuery = 20
)

// New returns a site with default settings: UTC, private, no aliases.
func New(host string) (*Site, error) {
	name, err := Canonical(host)
	if err != nil {
		return nil, err
	}
	return &Site{Host: name, Base: Base(name), TimeZone: "UTC", location: time.UTC}, nil
}

// Location returns the site's time zone.
func (s *Site) Location() *time.Location { return s.location }

// Set changes one setting by its name on the command line. A list's items are separated by commas; an empty value
// clears it.
func (s *Site) Set(key, value string) error {
	switch key {
	case "timezone":
		return s.setTimeZone(value)
	case "alias":
		return s.setAliases(list(value))
	case "keep-query":
		names := list(value)
		if len(names) > MaxKeepQuery {
			return fmt.Errorf("keep-query: %d names, at most %d", len(names), MaxKeepQuery)
		}
		s.KeepQuery = names
		return nil
	case "public":
		return setBool(&s.Public, key, value)
	case "dnt":
		return setBool(&s.DNT, key, value)
	}
	return fmt.Errorf("unknown setting %q: known are %s", key, strings.Join(SettingNames(), ", "))
}

// SettingNames returns the names that Set knows.
func SettingNames() []string { return []string{"timezone", "alias", "keep-query", "public", "dnt"} }

// Settings returns the present value of every setting, in the order of SettingNames.
func (s *Site) Settings() []string {
	return []string{s.TimeZone, strings.Join(s.Aliases, ","), strings.Join(s.KeepQuery, ","),
		strconv.FormatBool(s.Public), strconv.FormatBool(s.DNT)}
}

func (s *Site) setTimeZone(name string) error {
	location, err := time.LoadLocation(name)
	if err != nil || name == "" || name == "Local" {
		return fmt.Errorf("timezone %q: not a zone of the IANA database; use a name like UTC or Europe/Berlin", name)
	}
	s.TimeZone, s.location = name, location
	return nil
}

func (s *Site) setAliases(names []string) error {
	if len(names) > MaxAliases {
		return fmt.Errorf("alias: %d hosts, at most %d", len(names), MaxAliases)
	}
	aliases := make([]string, 0, len(names))
	for _, name := range names {
		alias, err := Canonical(name)
		if err != nil {
			return fmt.Errorf("alias: %w", err)
		}
		if alias != s.Host && !slices.Contains(aliases, alias) {
			aliases = append(aliases, alias)
		}
	}
	s.Aliases = aliases
	return nil
}

func setBool(to *bool, key, value string) error {
	b, err := strconv.ParseBool(value)
	if err != nil {
		return fmt.Errorf("%s %q: want true or false", key, value)
	}
	*to = b
	return nil
}

func list(value string) []string {
	var items []string
	for item := range strings.SplitSeq(value, ",") {
		if item = strings.TrimSpace(item); item != "" {
			items = append(items, item)
		}
	}
	return items
}

func (s *Site) record() (counters.Record, error) {
	body, err := json.Marshal(s)
	return counters.Record{ID: s.Host, Rev: s.rev, Body: body}, err
}

func fromRecord(r counters.Record) (*Site, error) {
	s := &Site{rev: r.Rev}
	if err := json.Unmarshal(r.Body, s); err != nil {
		return nil, fmt.Errorf("%w: %q as stored: %w", ErrUnusable, r.ID, err)
	}
	if s.Host != r.ID || s.Base != Base(s.Host) {
		return nil, fmt.Errorf("%w: %q as stored: host is %q and base %q", ErrUnusable, r.ID, s.Host, s.Base)
	}
	if err := s.setTimeZone(s.TimeZone); err != nil {
		return nil, fmt.Errorf("%w: %q as stored: %w", ErrUnusable, r.ID, err)
	}
	return s, nil
}

// repairable returns what can be read of a record that is not usable, with defaults for the rest.
func repairable(r counters.Record) *Site {
	s := &Site{}
	if json.Unmarshal(r.Body, s) != nil {
		s = &Site{}
	}
	s.Host, s.Base, s.rev = r.ID, Base(r.ID), r.Rev
	if s.setTimeZone(s.TimeZone) != nil {
		s.TimeZone, s.location = "UTC", time.UTC
	}
	return s
}
