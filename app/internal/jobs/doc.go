// Package jobs runs the modules' jobs periodically, each with a timeout, on every node or on one node at a time. A job
// that fails or panics is logged and runs again when it is next due; it never stops the server.
//
// For a job that runs on one node at a time, the node holds a lease in the table job_leases. Leases are short and
// renewed while the job runs, so that the job of a killed node continues on another node, or after a restart, within
// seconds. A clean stop leaves no lease: an interrupted job is due immediately. Leases are compared with the node's
// clock. A lease further in the future than possible is void, so that setting back a clock does not block a job.
package jobs
