package reporter

import "fmt"

func viewsPanel(r Report, to linker) (panel, error) {
	v := r.Views
	names, values := make([]string, 0, len(v.Points)), make([]int64, 0, len(v.Points))
	t := table{Name: widthTitles[r.width()], Foot: "All", Sum: thousands(v.Total)}
	for _, p := range v.Points {
		names, values = append(names, p.T), append(values, p.Views)
		t.Lines = append(t.Lines, line{Name: p.T, Views: thousands(p.Views)})
	}
	title := fmt.Sprintf("Views per %s", r.width())
	c, err := columns(fmt.Sprintf("%s, %s to %s: %s, at most %s in one %s", title, v.From, v.To, counted(v.Total),
		thousands(largest(v.Points)), r.width()), names, values)
	return panel{ID: "views", Title: title, Chart: c, Table: t, Fold: true, Links: to.downloads("views")}, err
}

var widthTitles = map[By]string{ByDay: "Day", ByHour: "Hour", ByMonth: "Month"}
