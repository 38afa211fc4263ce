package collector

import "github.com/valyala/fasthttp"

// A Verdict is what became of a hit. Its names are part of the public interface (DESIGN, section 7).
type Verdict uint8

// Counted is journaled; all others were not counted and say why.
const (
	Counted Verdict = iota

	IgnoredPrefetch
	IgnoredOptOut
	IgnoredEvent

	NoPage
	BadPath
	BadSite
	TooLong
	BadParameter
	UnknownSite
	Expired
	JournalFull
	Stopping

	verdicts // how many there are
)

type verdictInfo struct {
	reason  string // the value of X-Precount
	label   string // the value of the metric's label
	status  int
	ignored bool
}

var verdictInfos = [verdicts]verdictInfo{
	Counted:         {"", "", fasthttp.StatusOK, false},
	IgnoredPrefetch: {"ignored: prefetch", "prefetch", fasthttp.StatusOK, true},
	IgnoredOptOut:   {"ignored: opt-out", "opt-out", fasthttp.StatusOK, true},
	IgnoredEvent:    {"ignored: event", "event", fasthttp.StatusOK, true},
	NoPage:          {"no-page", "no-page", fasthttp.StatusBadRequest, false},
	BadPath:         {"bad-path", "bad-path", fasthttp.StatusBadRequest, false},
	BadSite:         {"bad-site", "bad-site", fasthttp.StatusBadRequest, false},
	TooLong:         {"too-long", "too-long", fasthttp.StatusBadRequest, false},
	BadParameter:    {"bad-parameter", "bad-parameter", fasthttp.StatusBadRequest, false},
	UnknownSite:     {"unknown-site", "unknown-site", fasthttp.StatusNotFound, false},
	Expired:         {"expired", "expired", fasthttp.StatusGone, false},
	JournalFull:     {"journal-full", "journal-full", fasthttp.StatusServiceUnavailable, false},
	Stopping:        {"stopping", "stopping", fasthttp.StatusServiceUnavailable, false},
}

func (v Verdict) info() *verdictInfo { return &verdictInfos[v] }

// Reason returns what the answer's X-Precount header says; "" for Counted.
func (v Verdict) Reason() string { return v.info().reason }

// Status returns the answer's HTTP status.
func (v Verdict) Status() int { return v.info().status }

// Ignored reports whether the hit was understood and not counted on purpose.
func (v Verdict) Ignored() bool { return v.info().ignored }

// Refused reports whether the hit was not counted because something is wrong with it, or with us.
func (v Verdict) Refused() bool { return v != Counted && !v.Ignored() }
