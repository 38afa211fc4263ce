package reporter

import "fmt"

func pagesPanel(r Report, to linker) (panel, error) {
	list := r.Pages.Pages
	p := panel{ID: "pages", Title: "Top pages", Links: to.downloads("pages")}
	if len(list) == 0 {
		p.Note = "No page was viewed in these days."
		return p, nil
	}
	p.Table = pathTable("Page", list, r.Pages.Total, to)
	p.More = to.more(len(list), p.Table.Foot == "All")
	var err error
	p.Chart, err = lying(fmt.Sprintf("Top pages: most views has %s, %s", printable(list[0].Path), counted(list[0].Views)), list)
	return p, err
}
