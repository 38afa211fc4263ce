package reporter

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"
)

// barWidth is the length of the longest bar in a terminal, in characters.
const barWidth = 40

// WriteTable writes r for a terminal: a line with a bar for each point, page and section, with sums. Columns of varying
// length come last, so that they need no padding, whatever the width of their characters.
func WriteTable(w io.Writer, r Report) error {
	out := bufio.NewWriter(w)
	v := r.Views
	fmt.Fprintf(out, "%s, %s to %s (%s)", v.Site, v.From, v.To, r.TimeZone)
	if r.Query.hasPrefix() {
		fmt.Fprintf(out, ", under %s", printable(r.Query.Prefix))
	}
	fmt.Fprintf(out, ": %s\n", counted(v.Total))
	if note := goneNote(v.RolledUp); note != "" {
		fmt.Fprintln(out, note)
	}
	writePoints(out, v)
	writePaths(out, "Top pages", r.Pages.Pages, r.Pages.Total)
	writePaths(out, "Sections", r.Sections.Sections, v.Total)
	return out.Flush()
}

func writePoints(out io.Writer, v Views) {
	fmt.Fprintln(out)
	most := largest(v.Points)
	width := max(len("total"), len(thousands(v.Total)))
	label := len("2026-11-20")
	for _, p := range v.Points {
		label = max(label, len(p.T))
	}
	for _, p := range v.Points {
		line := fmt.Sprintf("%-*s  %*s  %s", label, p.T, width, thousands(p.Views), bar(p.Views, most))
		fmt.Fprintln(out, strings.TrimRight(line, " "))
	}
	fmt.Fprintf(out, "%-*s  %*s\n", label, "total", width, thousands(v.Total))
}

func writePaths(out io.Writer, title string, list []PathViews, total int64) {
	if len(list) == 0 {
		return
	}
	fmt.Fprintf(out, "\n%s\n", title)
	width := len(thousands(total))
	var listed int64
	for _, p := range list {
		listed += p.Views
		fmt.Fprintf(out, "%*s  %7s  %-*s  %s\n", width, thousands(p.Views), percent(p.Views, total),
			barWidth/2, bar(p.Views, 2*max(total, 1)), printable(p.Path))
	}
	fmt.Fprintf(out, "%*s  %7s  these %d, of %s\n", width, thousands(listed), percent(listed, total), len(list), counted(total))
}

// eighths are the blocks that fill a character from the left (Unicode, Block Elements, U+258F to U+2588).
var eighths = []rune("▏▎▍▌▋▊▉█")

// bar returns a bar of views to scale; whatever is not 0 is visible.
func bar(views, most int64) string {
	if views <= 0 || most <= 0 {
		return ""
	}
	n := max(1, int(float64(views)/float64(most)*barWidth*8))
	full := strings.Repeat("█", n/8)
	if n%8 == 0 {
		return full
	}
	return full + string(eighths[n%8-1])
}

// printable returns a path that cannot steer the terminal or turn the direction of the text: what is not printable is
// escaped as in Go.
func printable(path string) string {
	var b strings.Builder
	for _, r := range path {
		if unicode.IsPrint(r) {
			b.WriteRune(r)
		} else {
			b.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
		}
	}
	return b.String()
}

func (r Report) width() By {
	if r.Query.By == "" {
		return ByDay
	}
	return r.Query.By
}
