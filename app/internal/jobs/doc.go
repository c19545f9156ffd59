// Package jobs runs the modules' jobs: again and again, each with a timeout, on every node or on one at a time. A job that
// fails or panics is logged and tried again when it is next due; it never stops the server.
package jobs
