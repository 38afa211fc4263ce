package reporter

func hoursPanel(r Report, _ linker) (panel, error) {
	p := panel{ID: "hours", Title: "Views per hour of day", Fold: true}
	if r.Hours == nil && !r.Query.hasPrefix() {
		p.Note = "Hours are not kept of months that were put away."
		return p, nil
	}
	if r.Hours == nil {
		p.Note = "Hours are kept for the whole site, not for its sections: they are in the report of all pages."
		return p, nil
	}
	names := make([]string, 0, len(r.Hours))
	p.Table = table{Name: "Hour (" + r.TimeZone + ")", Foot: "All"}
	busiest, all := 0, int64(0) // not the views: of months that were put away the hours are gone
	for hour, n := range r.Hours {
		name := hourName(hour) + ":00"
		names, all = append(names, name), all+n
		p.Table.Lines = append(p.Table.Lines, line{Name: name, Views: thousands(n)})
		if n > r.Hours[busiest] {
			busiest = hour
		}
	}
	p.Table.Sum = thousands(all)
	var err error
	p.Chart, err = columns(p.Title+", time zone "+r.TimeZone+": most from "+names[busiest]+" on, "+counted(r.Hours[busiest]),
		names, r.Hours)
	return p, err
}
