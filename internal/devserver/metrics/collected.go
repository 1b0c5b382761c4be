package metrics

import "github.com/prometheus/client_golang/prometheus"

// collected is a prometheus.Collector of what is asked for each time.
type collected struct{ from Sources }

var (
	inFlight = prometheus.NewDesc("agentplane_http_bodies_in_flight_bytes", "Bytes that bodies of requests in progress and large responses take.", nil, nil)
	waiting  = prometheus.NewDesc("agentplane_database_writers_waiting", "Transactions of this server that wait for their turn to write.", nil, nil)
	reading  = prometheus.NewDesc("agentplane_database_readers_in_use", "Connections that are reading.", nil, nil)
	up       = prometheus.NewDesc("agentplane_database_up", "Whether the database could be read for these metrics.", nil, nil)
	rollouts = prometheus.NewDesc("agentplane_rollouts", "Revisions by status.", []string{"status"}, nil)
)

// Describe implements prometheus.Collector.
func (collected) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{inFlight, waiting, reading, up, rollouts} {
		to <- d
	}
}

// Collect implements prometheus.Collector. Without the database, everything else is still there: that is when it is needed.
func (c collected) Collect(to chan<- prometheus.Metric) {
	gauge := func(of *prometheus.Desc, value float64, labels ...string) {
		to <- prometheus.MustNewConstMetric(of, prometheus.GaugeValue, value, labels...)
	}
	gauge(inFlight, float64(c.from.InFlight()))
	writers, readers := c.from.Pool()
	gauge(waiting, float64(writers))
	gauge(reading, float64(readers))
	counted, err := c.from.Rollouts()
	if err != nil {
		gauge(up, 0)
		return
	}
	gauge(up, 1)
	for status, n := range counted {
		gauge(rollouts, float64(n), status)
	}
}
