package reporter

import (
	"bytes"
	"encoding/json"
	"html/template"

	"github.com/go-echarts/go-echarts/v2/charts"
	"github.com/go-echarts/go-echarts/v2/opts"
)

// chartRows is the most bars that a chart of pages or sections shows; its table shows all.
const chartRows = 10

// A chart is the options of an ECharts chart, ready to be put into a page.
type chart struct {
	Options template.JS // JSON; "<", ">" and "&" are escaped
	Label   string      // what the chart shows, for those who do not see it
	Rows    int         // bars that lie on their side; 0 for upright bars
}

// columns returns upright bars, one for each name.
func columns(label string, names []string, values []int64) (*chart, error) {
	bar := newBar(opts.XAxis{AxisLabel: &opts.AxisLabel{HideOverlap: opts.Bool(true)}}, opts.YAxis{MinInterval: 1})
	bar.SetXAxis(names).AddSeries("Views", barData(values))
	bar.Validate()
	return finish(bar, label, 0)
}

// lying returns bars that lie on their side, the first one on top, so that long names can be read.
func lying(label string, list []PathViews) (*chart, error) {
	list = list[:min(len(list), chartRows)]
	names, values := make([]string, 0, len(list)), make([]int64, 0, len(list))
	for _, p := range list {
		names, values = append(names, printable(p.Path)), append(values, p.Views)
	}
	bar := newBar(opts.XAxis{MinInterval: 1, SplitNumber: 3, AxisLabel: &opts.AxisLabel{HideOverlap: opts.Bool(true)}},
		opts.YAxis{Inverse: opts.Bool(true), AxisLabel: &opts.AxisLabel{Interval: "0"}})
	bar.SetXAxis(names).AddSeries("Views", barData(values))
	bar.XYReversal()
	bar.Validate()
	return finish(bar, label, len(list))
}

func newBar(x opts.XAxis, y opts.YAxis) *charts.Bar {
	bar := charts.NewBar()
	bar.Accept(richTooltip{})
	bar.SetGlobalOptions(
		charts.WithAnimation(false),
		charts.WithLegendOpts(opts.Legend{Show: opts.Bool(false)}),
		charts.WithTooltipOpts(opts.Tooltip{Show: opts.Bool(true), Trigger: "axis",
			AxisPointer: &opts.AxisPointer{Type: "shadow"}}),
		charts.WithGridOpts(opts.Grid{Left: "0", Right: "28", Top: "12", Bottom: "0", ContainLabel: opts.Bool(true)}),
		charts.WithXAxisOpts(x),
		charts.WithYAxisOpts(y),
	)
	return bar
}

func barData(values []int64) []opts.BarData {
	data := make([]opts.BarData, 0, len(values))
	for _, n := range values {
		data = append(data, opts.BarData{Value: n})
	}
	return data
}

// richTooltip adds to the tooltip what go-echarts has no option for: drawn on the canvas instead of as HTML, whose style
// attributes the Content-Security-Policy forbids, and kept within the chart.
type richTooltip struct {
	charts.BaseConfigurationVisitor
}

func (richTooltip) VisitTooltipOpt(t opts.Tooltip) any {
	return struct {
		opts.Tooltip
		RenderMode string `json:"renderMode"`
		Confine    bool   `json:"confine"`
	}{t, "richText", true}
}

func finish(bar *charts.Bar, label string, rows int) (*chart, error) {
	var options bytes.Buffer
	enc := json.NewEncoder(&options)
	// go-echarts' own renderer leaves "</script>" in a name as it is.
	enc.SetEscapeHTML(true)
	if err := enc.Encode(bar.JSON()); err != nil {
		return nil, err
	}
	return &chart{template.JS(options.String()), label, rows}, nil
}
