package retention

import (
	"context"
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/dustin/go-humanize"

	"precount/internal/counters"
)

// A Plan is what Run would put away.
type Plan struct {
	Keep   int         `json:"keep"`
	Before string      `json:"before"` // months before it go: "2025-11"
	Months []MonthPlan `json:"months"`
}

// A MonthPlan is one month of a Plan.
type MonthPlan struct {
	Month       string           `json:"month"`
	Collections []CollectionPlan `json:"collections"`
}

// A CollectionPlan is one collection of a MonthPlan. Its archive is compressed to see how large it gets, but not kept.
type CollectionPlan struct {
	Collection string `json:"collection"`
	Documents  int64  `json:"documents"`
	Views      int64  `json:"total"`
	Bytes      int64  `json:"json_bytes"`
	Archive    int64  `json:"archive_bytes"`
}

// Plan returns what Run would put away. It reads every document that would go, and changes nothing.
func (r *Retention) Plan(ctx context.Context) (Plan, error) {
	first := r.running().Add(1 - r.options.Keep)
	plan := Plan{Keep: r.options.Keep, Before: first.String(), Months: []MonthPlan{}}
	months, err := r.candidates(ctx)
	if err != nil {
		return plan, err
	}
	all, err := r.options.Store.Collections(ctx)
	if err != nil {
		return plan, err
	}
	for _, m := range months {
		month := MonthPlan{Month: m.String(), Collections: []CollectionPlan{}}
		for _, c := range all {
			if c.Month != m {
				continue
			}
			one, err := r.planCollection(ctx, c)
			if err != nil {
				return plan, err
			}
			month.Collections = append(month.Collections, one)
		}
		plan.Months = append(plan.Months, month)
	}
	return plan, nil
}

func (r *Retention) planCollection(ctx context.Context, c counters.Collection) (CollectionPlan, error) {
	var e FileEntry
	size := &counted{}
	a := archiver{store: r.options.Store, progress: func(c counters.Collection, n int64) {
		r.options.Progress(Progress{c.Month, "plan", c.Name(), n})
	}}
	err := a.lines(ctx, c, size, &e)
	return CollectionPlan{c.Name(), e.Documents, e.Total, e.Lines, size.n}, err
}

// WriteTable writes the plan for people.
func (p Plan) WriteTable(out io.Writer) error {
	if len(p.Months) == 0 {
		_, err := fmt.Fprintf(out, "nothing to do: no month before %s is in the store\n", p.Before)
		return err
	}
	w := tabwriter.NewWriter(out, 0, 8, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "MONTH\tCOLLECTION\tDOCUMENTS\tJSON\tARCHIVE\t")
	var documents, bytes, archive int64
	for _, m := range p.Months {
		if len(m.Collections) == 0 {
			fmt.Fprintf(w, "%s\t(half dropped: to be finished)\t0\t0 B\t0 B\t\n", m.Month)
		}
		for _, c := range m.Collections {
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t\n", m.Month, c.Collection, humanize.Comma(c.Documents), size(c.Bytes), size(c.Archive))
			documents, bytes, archive = documents+c.Documents, bytes+c.Bytes, archive+c.Archive
		}
	}
	fmt.Fprintf(w, "%d months\t\t%s\t%s\t%s\t\n", len(p.Months), humanize.Comma(documents), size(bytes), size(archive))
	return w.Flush()
}

func size(n int64) string { return humanize.IBytes(uint64(n)) }
