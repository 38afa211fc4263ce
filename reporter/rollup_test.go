package reporter

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"precount/internal/sites"
	"precount/reporter/retention"
)

// putAway lets retention put away all months of the fixture but November.
func (f *fixture) putAway(t *testing.T) {
	t.Helper()
	r, err := retention.New(retention.Options{Store: f.store, Sites: f.registry.Directory, Keep: 1, Archive: t.TempDir(), Owner: "test",
		Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	done, err := r.Run(t.Context())
	if err != nil || len(done) < 3 {
		t.Fatalf("put away %v: %v", done, err)
	}
}

func (f *fixture) compile(t *testing.T, site *sites.Site, p Params) Report {
	t.Helper()
	q, err := p.Query(now, site.Location())
	if err != nil {
		t.Fatal(err)
	}
	r, err := Compile(t.Context(), f.store, site, q)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestPutAwayMonths: what a rollup knows, reports show as before; what it does not know is said to be gone, and never a zero.
func TestPutAwayMonths(t *testing.T) {
	f, berlin, _ := twoSites(t)
	params := []Params{
		{From: "2025-12", To: "today"}, {From: "2025-12", To: "today", By: "month"}, {From: "2026-10-20", To: "2026-11-19"},
		{From: "2025-12", To: "today", By: "month", Prefix: "/blog/"}, {From: "2026-10", To: "2026-10"},
		{From: "2026-10-25", To: "2026-11-01", By: "hour"}, {From: "2025-12", To: "today", Prefix: "/blog/"},
		{From: "2025-12", To: "today", By: "month", Prefix: "/blog/clocks"},
	}
	var before []Report
	for _, p := range params {
		before = append(before, f.compile(t, berlin, p))
	}
	f.putAway(t)
	for i, p := range params {
		t.Run(fmt.Sprint(p), func(t *testing.T) {
			was, is := before[i], f.compile(t, berlin, p)
			if !slices.Contains(is.Views.RolledUp, "2026-10") || is.Views.RolledUp[len(is.Views.RolledUp)-1] != "2026-10" {
				t.Errorf("rolled up: %v", is.Views.RolledUp)
			}
			if p.Prefix == "" && (is.Views.Total != was.Views.Total || is.Pages.Total != was.Pages.Total) {
				t.Errorf("totals are %d and %d, were %d and %d", is.Views.Total, is.Pages.Total, was.Views.Total, was.Pages.Total)
			}
			if len(is.Views.Gone) == 0 && !reflect.DeepEqual(is.Views.Points, was.Views.Points) {
				t.Errorf("points are %v, were %v", is.Views.Points, was.Views.Points)
			}
			if whole := strings.HasPrefix(p.From, "2025-12") && p.Prefix == ""; whole && !reflect.DeepEqual(is.Sections.Sections, was.Sections.Sections) {
				t.Errorf("sections are %v, were %v", is.Sections, was.Sections)
			}
			for _, point := range is.Views.Points {
				if slices.Contains(is.Views.Gone, point.T[:7]) {
					t.Errorf("%s is gone, and shown as %d", point.T, point.Views)
				}
			}
		})
	}
	for i, gone := range []bool{false, false, false, false, false, true, true, true} {
		if is := f.compile(t, berlin, params[i]); (len(is.Views.Gone) > 0) != gone {
			t.Errorf("%v: gone %v", params[i], is.Views.Gone)
		}
	}
}

// TestPutAwayMonthsAreSaid on the page, in the table and in the API.
func TestPutAwayMonthsAreSaid(t *testing.T) {
	f, berlin, _ := twoSites(t)
	f.putAway(t)
	client := serve(t, f.reporter(t))
	for _, query := range []string{"from=2026-10&to=2026-10", "from=2026-10&to=today", "from=2026-10&to=2026-10&prefix=/blog/", "from=2026-10&to=today&by=month&prefix=/blog/clocks"} {
		page := ask(t, client, "GET", "/sites/mongodb.org?"+query)
		body := string(page.Body())
		if page.StatusCode() != 200 || !strings.Contains(body, "Detail is gone for 2026-10") || strings.Contains(body, "No views in these days") {
			t.Errorf("%s: %d %s", query, page.StatusCode(), body)
		}
	}
	var table bytes.Buffer
	if err := WriteTable(&table, f.compile(t, berlin, Params{From: "2026-10", To: "2026-11"})); err != nil || !strings.Contains(table.String(), "Detail is gone for 2026-10") {
		t.Error(err, table.String())
	}
	for endpoint, want := range map[string]string{
		"views?from=2026-10&to=today&by=month": `"rolled_up":["2026-10"]`, "pages?from=2026-10": `"detail_gone":["2026-10"]`,
		"sections?from=2026-10-02":              `"detail_gone":["2026-10"]`,
		"sections?from=2026-10&prefix=/docs/":   `"detail_gone":["2026-10"]`,
		"views?from=2026-10&prefix=/blog/clock": `"detail_gone":["2026-10"]`,
	} {
		body := ask(t, client, "GET", "/api/v1/sites/mongodb.org/"+endpoint).Body()
		if !bytes.Contains(body, []byte(want)) || !json.Valid(body) {
			t.Errorf("%s: %s, want %s", endpoint, body, want)
		}
	}
	for _, address := range []string{"views?from=7d", "pages?from=7d", "sections?from=7d", "sections?from=2026-10"} {
		if body := ask(t, client, "GET", "/api/v1/sites/mongodb.org/"+address).Body(); bytes.Contains(body, []byte("gone")) {
			t.Errorf("%s: %s", address, body)
		}
	}
}
