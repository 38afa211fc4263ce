package reporter

import (
	"crypto/sha256"
	"encoding/base64"
	"html/template"
	"io"
	"strings"
)

// WriteHTML writes r as one page that needs no server: style, script and ECharts stand in the page itself. If ECharts is
// not in this build, the page loads it from the CDN.
func WriteHTML(w io.Writer, r Report) error {
	a, err := embedded()
	if err != nil {
		return err
	}
	body, err := newReportBody(r, linker{})
	if err != nil {
		return err
	}
	return filePage(a, r.Views.Site, body).write(w, reportTemplate)
}

func filePage(a *assets, title string, body reportBody) page {
	style, script := string(a.byName["style.css"].body), string(a.byName["report.js"].body)
	p := page{Title: title, Charts: true, Body: body, Inline: &inline{Style: template.CSS(style)}}
	sources := []string{hashSource(script)}
	if a.hasECharts() {
		library := string(a.byName[echartsFile].body)
		sources = append(sources, hashSource(library))
		p.Inline.Scripts = append(p.Inline.Scripts, template.JS(library))
	} else {
		p.ECharts = a.echarts()
		sources = append(sources, echartsCDN)
	}
	p.Inline.Scripts = append(p.Inline.Scripts, template.JS(script))
	p.Inline.Policy = "default-src 'none'; script-src " + strings.Join(sources, " ") + "; style-src " + hashSource(style)
	return p
}

// hashSource returns the Content-Security-Policy source that allows this inline text and no other.
func hashSource(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}
