package reporter

import (
	"encoding/json"
	"io"
	"slices"
	"strings"
)

// A Format is a way to write a report.
type Format string

// The formats of `precount report`.
const (
	Table Format = "table" // for a terminal
	JSON  Format = "json"  // for programs: the answers of the API in one object
	CSV   Format = "csv"   // for spreadsheets: three columns, what, key and views
	HTML  Format = "html"  // one page in one file
)

// Formats returns all formats.
func Formats() []Format { return []Format{Table, JSON, CSV, HTML} }

var writers = map[Format]func(io.Writer, Report) error{
	Table: WriteTable, JSON: WriteJSON, CSV: WriteCSV, HTML: WriteHTML,
}

// Check returns a *Refusal if f is not one of Formats.
func (f Format) Check() error { return checkFormat(f, Formats()) }

// Write writes r to w in the format f.
func Write(w io.Writer, f Format, r Report) error {
	if err := f.Check(); err != nil {
		return err
	}
	return writers[f](w, r)
}

func checkFormat(f Format, known []Format) error {
	if slices.Contains(known, f) {
		return nil
	}
	names := make([]string, 0, len(known))
	for _, k := range known {
		names = append(names, string(k))
	}
	return refuse(BadFormat, "format=%.40q: want one of %s", string(f), strings.Join(names, ", "))
}

// jsonReport is a report as JSON: the fields of /views, /pages and /sections, but for the total of the pages, which is
// that of the views.
type jsonReport struct {
	Views
	TimeZone string      `json:"timezone"`
	Prefix   string      `json:"prefix,omitempty"`
	Hours    []int64     `json:"hours,omitempty"` // sums of each hour of the day; not under a prefix
	Pages    []PathViews `json:"pages"`
	Sections []PathViews `json:"sections"`
}

// WriteJSON writes r as one JSON object, indented.
func WriteJSON(w io.Writer, r Report) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(jsonReport{r.Views, r.TimeZone, r.Query.Prefix, r.Hours, r.Pages.Pages, r.Sections.Sections})
}
