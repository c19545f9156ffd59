// Package metrics keeps the values of all instruments and serves them at /metrics, in Prometheus's text format or as
// OpenMetrics, on a listener of its own: figures about a server are for its operator, not for its users.
package metrics
