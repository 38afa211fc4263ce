package collector

import (
	"io"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/common/expfmt"
)

// metrics are the numbers beside the ledger's, and the registry of all.
type metrics struct {
	registry *prometheus.Registry
	seconds  prometheus.Histogram
	updates  prometheus.Counter
	rejected prometheus.Counter
}

func newMetrics(books prometheus.Collector) *metrics {
	m := &metrics{
		registry: prometheus.NewRegistry(),
		seconds: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "precount_flush_seconds", Help: "Time to apply one batch to the store.",
			Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30},
		}),
		updates: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "precount_store_updates_total", Help: "Documents changed in the store.",
		}),
	}
	m.rejected = prometheus.NewCounter(prometheus.CounterOpts{
		Name: "precount_store_rejected_total", Help: "Updates that the store set aside because their document cannot take them.",
	})
	m.registry.MustRegister(books, m.seconds, m.updates, m.rejected, collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

func (m *metrics) flushed(took time.Duration, updates int) {
	m.seconds.Observe(took.Seconds())
	m.updates.Add(float64(updates))
}

// WriteMetrics writes the collector's and the process's metrics in Prometheus' text format.
func (c *Collector) WriteMetrics(w io.Writer) error {
	families, err := c.metrics.registry.Gather()
	if err != nil {
		return err
	}
	for _, family := range families {
		if _, err := expfmt.MetricFamilyToText(w, family); err != nil {
			return err
		}
	}
	return nil
}

// books show the ledger as metrics. They are collected at one moment, so that they balance in every scrape: received =
// journaled + ignored + refused, and journaled = counted + pending (+ lost, which is 0 unless a disk damaged a segment).
type books struct{ *Collector }

func describe(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc("precount_"+name, help, labels, nil)
}

var (
	receivedDesc  = describe("hits_received_total", "Hits that came in, those found in the journal at the start included.")
	journaledDesc = describe("hits_journaled_total", "Hits written to the journal, those found in it at the start included.")
	countedDesc   = describe("hits_counted_total", "Hits that are in the store.")
	recoveredDesc = describe("hits_recovered_total", "Hits found in the journal at the start.")
	lostDesc      = describe("hits_lost_total", "Journaled hits that a damaged disk took before they were counted, or that came late.")
	lateDesc      = describe("hits_late_total", "Of the lost hits, those whose month retention had put away before they were counted.")
	otherDesc     = describe("hits_other_total", "New pages or sections beyond a cap; their hits count as (other).")
	ignoredDesc   = describe("hits_ignored_total", "Hits that were not counted on purpose.", "reason")
	refusedDesc   = describe("hits_refused_total", "Hits that were not counted because something was wrong.", "reason")
	pendingDesc   = describe("hits_pending", "Hits in the journal that are not in the store yet.")
	bytesDesc     = describe("journal_bytes", "Disk space of the journal's segments.")
	segmentsDesc  = describe("journal_segments", "Segments with hits that are not in the store yet.")
	damagedDesc   = describe("journal_damaged_files", "Damaged files of the journal that were put aside.")
	upDesc        = describe("store_up", "1 if the last batch could be applied to the store.")
)

func (b books) Describe(to chan<- *prometheus.Desc) { prometheus.DescribeByCollect(b, to) }

func (b books) Collect(to chan<- prometheus.Metric) {
	l, stats := b.Ledger(), b.journal.Stats()
	counter := func(d *prometheus.Desc, n uint64, labels ...string) {
		to <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, float64(n), labels...)
	}
	gauge := func(d *prometheus.Desc, n float64) { to <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, n) }
	counter(receivedDesc, l.Received)
	counter(journaledDesc, l.Journaled)
	counter(countedDesc, l.Counted)
	counter(recoveredDesc, l.Recovered)
	counter(lostDesc, l.Lost)
	counter(lateDesc, l.Late)
	counter(otherDesc, b.cardinality.other.Load())
	for v := range verdicts {
		switch {
		case v.Ignored():
			counter(ignoredDesc, l.Verdicts[v], v.info().label)
		case v.Refused():
			counter(refusedDesc, l.Verdicts[v], v.info().label)
		}
	}
	gauge(pendingDesc, float64(l.Pending))
	gauge(bytesDesc, float64(stats.Bytes))
	gauge(segmentsDesc, float64(stats.Segments))
	gauge(damagedDesc, float64(stats.Damaged))
	up := 0.0
	if b.flusher.up.Load() {
		up = 1
	}
	gauge(upDesc, up)
}
