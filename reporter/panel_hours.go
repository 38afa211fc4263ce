package reporter

func hoursPanel(r Report, _ linker) (panel, error) {
	p := panel{ID: "hours", Title: "Views per hour of day", Fold: true}
	if r.Hours == nil {
		p.Note = "Hours are kept for the whole site, not for its sections: they are in the report of all pages."
		return p, nil
	}
	names := make([]string, 0, len(r.Hours))
	p.Table = table{Name: "Hour (" + r.TimeZone + ")", Foot: "All", Sum: thousands(r.Views.Total)}
	busiest := 0
	for hour, n := range r.Hours {
		name := hourName(hour) + ":00"
		names = append(names, name)
		p.Table.Lines = append(p.Table.Lines, line{Name: name, Views: thousands(n)})
		if n > r.Hours[busiest] {
			busiest = hour
		}
	}
	var err error
	p.Chart, err = columns(p.Title+", time zone "+r.TimeZone+": most from "+names[busiest]+" on, "+counted(r.Hours[busiest]),
		names, r.Hours)
	return p, err
}
