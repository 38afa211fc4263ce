package reporter

// A panel is one part of a report page: a heading, a chart, and the same numbers as a table.
type panel struct {
	ID    string
	Title string
	Note  string // instead of chart and table
	Chart *chart
	Table table
	Fold  bool // the table is long, and its numbers can be read in the chart
	Links []link
	More  *link // the same with more lines
}

// A table is two or three columns: name, views and, if it has Shares, the share of all views.
type table struct {
	Name   string // heading of the first column
	Shares bool
	Lines  []line

	// The last line: what is summed, its views, its share of all.
	Foot, Sum, Percent string
}

// A line is one row of a table.
type line struct {
	Name    string
	Address string // of the report on this line alone; "" for none
	Views   string
	Percent string  // "45.2 %"
	Share   float64 // 0 to 100
}

// panels are the parts of a report page, in their order. A new one is one new file and one line here.
var panels = []func(Report, linker) (panel, error){viewsPanel, hoursPanel, pagesPanel, sectionsPanel}

// pathTable returns the table of pages or sections; each leads to the report with its path as the prefix.
func pathTable(name string, list []PathViews, total int64, to linker) table {
	t := table{Name: name, Shares: true}
	var listed int64
	for _, p := range list {
		t.Lines = append(t.Lines, line{printable(p.Path), to.prefix(p.Path), thousands(p.Views), percent(p.Views, total),
			share(p.Views, total)})
		listed += p.Views
	}
	t.Foot, t.Sum, t.Percent = "These, of "+counted(total), thousands(listed), percent(listed, total)
	if listed == total {
		t.Foot = "All"
	}
	return t
}
