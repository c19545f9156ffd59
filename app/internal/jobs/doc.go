// Package jobs runs the modules' jobs periodically, each with a timeout, on every node or on one node at a time. A job
// that fails or panics is logged and runs again when it is next due; it never stops the server.
//
// A job with a backlog runs when the backlog's first item is due (backlog.go). The node that adds an item knows at
// once; other nodes find it when they read all backlogs, every few seconds. So an idle server asks for nothing else.
//
// For a job that runs on one node at a time, the node holds a lease in the table job_leases. If it dies, the job
// continues on another node, or after a restart, within seconds (see the package nodes). A clean stop leaves no lease:
// an interrupted job is due immediately. When a job is due is compared with the node's clock. A time further in the
// future than possible is void, so that setting back a clock does not block a job.
package jobs
