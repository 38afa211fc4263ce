// Package reporter turns documents into reports: a JSON API, report pages with charts, CSV, and tables for terminals.
//
//	"30d", "/docs/", "day"        Params.Query            a site's calendar decides what "today" is
//	        │
//	      Query{Range, By, Prefix, Limit}
//	        │
//	        ├─ ReadViews ─────── Scan hours-nov "base|"                 no prefix: at most 31 documents a month
//	        │                 ├─ Scan sections-nov "base|1|/docs/"      a section: one document a month
//	        │                 └─ DaySums sites-nov "base/docs/in"       any other prefix
//	        ├─ ReadPages ─────── Top sites-nov
//	        ├─ ReadSections ──── Top sections-nov
//	        └─ rollup.go ─────── of a month that package retention put away: its rollup instead of all these
//	        │
//	      Compile: all of them, a Report
//	        │
//	        ├─ Write             table, json, csv, html: `precount report`
//	        └─ Reporter.Handle   GET /                            sites
//	                             GET /sites/{host}                page: one panel per chart, each with its table
//	                             GET /api/v1/sites[/{host}/…]     JSON, CSV
//	                             GET /assets/…                    style, script and ECharts, out of the binary
//
// Everything down to Write takes values and returns values, but for the Store it reads. What is refused is a Refusal,
// with a code for programs and a message for people.
//
// What comes from visitors (paths) is text in every format: go-echarts builds the charts' options, but the page carries
// them as JSON with <, > and & escaped, in a script element that no browser runs; /assets/report.js draws them. The
// Content-Security-Policy allows no inline script and no inline style.
package reporter
