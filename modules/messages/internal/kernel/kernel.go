// Package kernel bundles the ports of the kernel that most packages of messages use, so that they do not pass on each
// of them.
package kernel

import "github.com/stoachat/stoa/ports"

// Ports holds the ports of the kernel.
type Ports struct {
	Work      ports.UnitOfWork
	Log       ports.EventLog
	Audit     ports.Audit
	Directory ports.Directory
	Writer    ports.Writer
	Hooks     ports.Hooks
	Clock     ports.Clock
}
