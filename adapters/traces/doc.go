// Package traces sends spans to an OpenTelemetry collector. Spans wait in a queue of limited size: while no collector
// answers, they are dropped, and nobody waits.
package traces
