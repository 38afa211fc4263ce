package reporter

import (
	"fmt"

	"precount/internal/counters"
)

func sectionsPanel(r Report, to linker) (panel, error) {
	list := r.Sections.Sections
	p := panel{ID: "sections", Title: "Sections", Links: to.downloads("sections")}
	if len(list) == 0 {
		p.Note = fmt.Sprintf("No section was viewed below this one. A section is a folder of the address, like /docs/; "+
			"%d levels are counted.", counters.MaxDepth)
		return p, nil
	}
	p.Table = pathTable("Section", list, r.Views.Total, to)
	var err error
	p.Chart, err = lying(fmt.Sprintf("Sections: most views has %s, %s", printable(list[0].Path), counted(list[0].Views)), list)
	return p, err
}
