// Package systemd implements the two protocols between systemd and its services that the server uses: notifications
// about its state, sd_notify(3), and credentials. Without systemd, nothing happens.
package systemd

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// State is a notification about the state of the service.
type State string

// The states of a service.
const (
	Ready    State = "READY=1"
	Stopping State = "STOPPING=1"
	Watchdog State = "WATCHDOG=1" // it works
)

// Manager is the service manager that started this process.
type Manager struct{ environ []string }

// Of returns the manager named by the variables of the process.
func Of(environ []string) Manager { return Manager{environ} }

// Notify sends a state.
func (m Manager) Notify(s State) error {
	socket := m.variable("NOTIFY_SOCKET")
	if socket == "" {
		return nil
	}
	c, err := net.DialUnix("unixgram", nil, &net.UnixAddr{Name: socket, Net: "unixgram"})
	if err != nil {
		return fmt.Errorf("notify systemd: %w", err)
	}
	_, err = c.Write([]byte(s))
	return errors.Join(err, c.Close())
}

// Interval returns how often the manager expects Watchdog: half of the time after which it restarts the service. It is
// zero if the manager expects none from this process.
func (m Manager) Interval() time.Duration {
	if pid := m.variable("WATCHDOG_PID"); pid != "" && pid != strconv.Itoa(os.Getpid()) {
		return 0
	}
	limit, err := strconv.ParseInt(m.variable("WATCHDOG_USEC"), 10, 64)
	if err != nil {
		return 0
	}
	return time.Duration(limit) * time.Microsecond / 2
}

// Credential returns a credential of the service without the space around it, or "" if there is none.
func (m Manager) Credential(name string) (string, error) {
	dir := m.variable("CREDENTIALS_DIRECTORY")
	if dir == "" {
		return "", nil
	}
	text, err := os.ReadFile(filepath.Join(dir, name)) //nolint:gosec // the service manager names it
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return strings.TrimSpace(string(text)), err
}

func (m Manager) variable(name string) string {
	for _, v := range m.environ {
		if value, ok := strings.CutPrefix(v, name+"="); ok {
			return value
		}
	}
	return ""
}
