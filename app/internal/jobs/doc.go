// Package jobs runs the modules' jobs: again and again, each with a timeout, on every node or on one at a time. A job
// that fails or panics is logged and tried again when it is next due; it never stops the server.
//
// A job that runs on one node at a time is held by a lease in the table job_leases. Leases are short and renewed while
// the job runs, so that a job of a node that was killed goes on elsewhere, or after a restart, within seconds. A clean
// stop leaves no lease: a job that it interrupts is due at once. Leases are compared with the node's clock; one that
// ends later than any lease can is void, so that a clock that was set back does not keep a job from running.
package jobs
