package reporter

import (
	"encoding/csv"
	"io"
	"regexp"
	"strconv"
)

// rows is an answer that can be written as CSV: a header, then one record for each line.
type rows interface {
	records() [][]string
}

func (v Views) records() [][]string {
	all := [][]string{{"t", "views"}}
	for _, p := range v.Points {
		all = append(all, []string{p.T, strconv.FormatInt(p.Views, 10)})
	}
	return all
}

func (p Pages) records() [][]string { return pathRecords(p.Pages) }

func (s Sections) records() [][]string { return pathRecords(s.Sections) }

func pathRecords(list []PathViews) [][]string {
	all := [][]string{{"path", "views"}}
	for _, p := range list {
		all = append(all, []string{p.Path, strconv.FormatInt(p.Views, 10)})
	}
	return all
}

// WriteCSV writes r as one table with three columns: what a line counts (day, hour, month, hour of day, page, section),
// which one, and its views.
func WriteCSV(w io.Writer, r Report) error { return writeCSV(w, r) }

func (r Report) records() [][]string {
	all := [][]string{{"what", "key", "views"}}
	add := func(what, key string, views int64) {
		all = append(all, []string{what, key, strconv.FormatInt(views, 10)})
	}
	for _, p := range r.Views.Points {
		add(string(r.width()), p.T, p.Views)
	}
	for hour, n := range r.Hours {
		add("hour of day", hourName(hour), n)
	}
	for _, p := range r.Pages.Pages {
		add("page", p.Path, p.Views)
	}
	for _, p := range r.Sections.Sections {
		add("section", p.Path, p.Views)
	}
	return all
}

func writeCSV(w io.Writer, answer rows) error {
	out := csv.NewWriter(w)
	for _, record := range answer.records() {
		for i := range record {
			record[i] = disarm(record[i])
		}
		if err := out.Write(record); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// formula finds where a spreadsheet could see a cell that begins like a formula (OWASP, "CSV Injection"). Paths begin
// with "/", but spreadsheets of many languages split cells at semicolons, too, and not all heed quotes.
var formula = regexp.MustCompile(`(^|[;\t\r\n])([\s"']*)([=+\-@＝＋－＠])`)

// disarm puts an apostrophe before what a spreadsheet could take for a formula. Who needs every path to the letter reads
// the JSON.
func disarm(cell string) string { return formula.ReplaceAllString(cell, "$1$2'$3") }
