package rest

import (
	"fmt"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Metrics are those of one server.
type Metrics struct {
	registry     *prometheus.Registry
	requests     *prometheus.CounterVec
	durations    *prometheus.HistogramVec // Not by route: each of hundreds would be 18 lines.
	seconds      *prometheus.CounterVec
	refused      *prometheus.CounterVec
	stored       map[string]prometheus.Counter
	rejected     map[string]prometheus.Counter
	transactions prometheus.Histogram
}

// MetricSources are asked when metrics are collected.
type MetricSources struct {
	// InFlight is how many bytes the bodies of requests in progress take.
	InFlight func() int64
	// WritersWaiting is how many transactions wait for their turn to write, and ReadersInUse how many connections are reading.
	WritersWaiting, ReadersInUse func() int64
	// Rollouts are the numbers of revisions by status.
	Rollouts func() (map[string]int64, error)
}

// Kinds of what clients log.
const (
	LoggedRuns  = "runs"
	LoggedSpans = "spans"
)

// The durations that histograms tell apart: a request may wait for as long as a query may take, or for a login.
var (
	requestSeconds     = []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60}
	transactionSeconds = []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5}
)

// NewMetrics returns metrics of a server with a version.
func NewMetrics(version string, from MetricSources) *Metrics {
	m := &Metrics{
		registry: prometheus.NewRegistry(), stored: map[string]prometheus.Counter{}, rejected: map[string]prometheus.Counter{},
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "agentplane_http_requests_total", Help: "Requests by the pattern of their route, method and class of status; none: closed without an answer.",
		}, []string{"route", "method", "status"}),
		durations: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "agentplane_http_request_duration_seconds", Help: "Time from the header of a request to the end of its answer, by service and method.", Buckets: requestSeconds,
		}, []string{"service", "method"}),
		seconds: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "agentplane_http_request_seconds_total", Help: "Time that requests took in total, by the pattern of their route and method.",
		}, []string{"route", "method"}),
		refused: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "agentplane_http_requests_refused_total", Help: "Requests that were refused or failed, by reason.",
		}, []string{"reason"}),
		transactions: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "agentplane_database_write_transaction_duration_seconds", Help: "Time of transactions that write, with their wait for those of other servers, not for others of this one.",
			Buckets: transactionSeconds,
		}),
	}
	for _, kind := range []string{LoggedRuns, LoggedSpans} {
		m.stored[kind] = prometheus.NewCounter(prometheus.CounterOpts{
			Name: "agentplane_" + kind + "_ingested_total", Help: "What was stored of what clients log: posts and patches of runs, or spans.",
		})
		m.rejected[kind] = prometheus.NewCounter(prometheus.CounterOpts{
			Name: "agentplane_" + kind + "_refused_total", Help: "What clients logged in vain, if it could be counted: posts and patches of runs, or spans.",
		})
		m.registry.MustRegister(m.stored[kind], m.rejected[kind])
	}
	build := prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "agentplane_build_info", Help: "Always 1; the labels say what runs.",
		ConstLabels: prometheus.Labels{"version": version, "go_version": runtime.Version()},
	})
	build.Set(1)
	m.registry.MustRegister(
		m.requests, m.durations, m.seconds, m.refused, m.transactions, build, rollouts(from.Rollouts),
		gauge("agentplane_http_bodies_in_flight_bytes", "Bytes that bodies of requests in progress and large responses take.", from.InFlight),
		gauge("agentplane_database_writers_waiting", "Transactions of this server that wait for their turn to write.", from.WritersWaiting),
		gauge("agentplane_database_readers_in_use", "Connections that are reading.", from.ReadersInUse),
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
	)
	return m
}

// Handler serves the metrics.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{Registry: m.registry})
}

// countedMethods are the label's values; anything else is "other".
var countedMethods = []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions}

// Request counts a request, by the pattern of http.ServeMux that has matched it.
func (m *Metrics) Request(pattern, method string, status int, took time.Duration) {
	// The label is kept, and the method of a request is a part of its first line, which would be kept as a whole.
	label := "other"
	if n := slices.Index(countedMethods, method); n >= 0 {
		label = countedMethods[n]
	}
	_, route, withMethod := strings.Cut(pattern, " ")
	if !withMethod {
		route = pattern
	}
	if route == "" || route == "/" {
		route = "unserved"
	}
	class := "none"
	if status > 0 {
		class = fmt.Sprintf("%dxx", status/100)
	}
	m.requests.WithLabelValues(route, label, class).Inc()
	m.durations.WithLabelValues(serviceOf(route), label).Observe(took.Seconds())
	m.seconds.WithLabelValues(route, label).Add(took.Seconds())
}

// serviceOf returns the service to which a route belongs.
func serviceOf(route string) string {
	of := func(prefixes ...string) bool {
		return slices.ContainsFunc(prefixes, func(prefix string) bool { return strings.HasPrefix(route, prefix) })
	}
	switch {
	case route == "/{$}", of("/ui", "/o/"), route == "/public/{share_token}/r", route == "/public/{share_token}/t":
		return "pages"
	case route == "unserved", of("/dev/", "/healthz", "/readyz", "/toy-login/"):
		return "server"
	case of("/v2/auth/"):
		return "auth"
	case of("/v1/integrations/", "/v2/deployments", "/v2/listeners"):
		return "control plane"
	default:
		return "tracing"
	}
}

// Refused counts a refusal for one of few reasons.
func (m *Metrics) Refused(reason string) { m.refused.WithLabelValues(reason).Inc() }

// Logged counts what of a kind was stored, and what was refused.
func (m *Metrics) Logged(kind string, stored, refused int) {
	m.stored[kind].Add(float64(stored))
	m.rejected[kind].Add(float64(refused))
}

// Wrote measures a transaction.
func (m *Metrics) Wrote(took time.Duration) { m.transactions.Observe(took.Seconds()) }

func gauge(name, help string, read func() int64) prometheus.Collector {
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, func() float64 { return float64(read()) })
}

// rollouts is a prometheus.Collector that reads the numbers of revisions on each scrape.
type rollouts func() (map[string]int64, error)

var (
	upDesc       = prometheus.NewDesc("agentplane_database_up", "Whether the database could be read for these metrics.", nil, nil)
	rolloutsDesc = prometheus.NewDesc("agentplane_rollouts", "Revisions by status.", []string{"status"}, nil)
)

// Describe implements prometheus.Collector.
func (rollouts) Describe(to chan<- *prometheus.Desc) {
	to <- upDesc
	to <- rolloutsDesc
}

// Collect implements prometheus.Collector. Without the database, everything else is still there: that is when it is needed.
func (read rollouts) Collect(to chan<- prometheus.Metric) {
	counted, err := read()
	up := 1.0
	if err != nil {
		up, counted = 0, nil
	}
	to <- prometheus.MustNewConstMetric(upDesc, prometheus.GaugeValue, up)
	for status, n := range counted {
		to <- prometheus.MustNewConstMetric(rolloutsDesc, prometheus.GaugeValue, float64(n), status)
	}
}
