package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/modules/kit"
)

// maintenance is the mode in which the server only reads. It lasts while a file with the message to users is in the
// data directory, also across restarts.
type maintenance struct {
	path    string
	message atomic.Pointer[string] // nil: off
}

const (
	maintenanceFile    = "maintenance"
	maintenanceEvery   = 2 * time.Second
	maxMaintenanceText = 500 // bytes
	maintenanceText    = "The server is under maintenance: it can be read, but not changed. Please try again later."
)

func newMaintenance(dataDir string) *maintenance {
	m := &maintenance{path: filepath.Join(dataDir, maintenanceFile)}
	_ = m.read() // the job reports a file that cannot be read
	return m
}

// why returns the message to users, or "" if the server also changes data.
func (m *maintenance) why() string {
	if text := m.message.Load(); text != nil {
		return *text
	}
	return ""
}

func (m *maintenance) read() error {
	text, err := os.ReadFile(m.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		m.message.Store(nil)
		return nil
	case err != nil:
		return err
	}
	message := cmp.Or(strings.TrimSpace(string(text)), maintenanceText)
	m.message.Store(&message)
	return nil
}

// job returns the job that follows the file, which a command may change without reaching this process.
func (m *maintenance) job() kit.Job {
	return kit.Job{Name: "maintenance", Every: maintenanceEvery, Everywhere: true,
		Run: func(context.Context) error { return m.read() }}
}

func (m *maintenance) commands() []kit.Command {
	return []kit.Command{
		kit.NewCommand("maintenance on", m.on, "Only read: refuse all changes with a message, also after a restart.").
			OfServer(),
		kit.NewCommand("maintenance off", m.off, "Accept changes again.").OfServer(),
		kit.NewCommand("maintenance status", m.status, "Report whether the server only reads.").OfServer(),
	}
}

// maintained is the output of the commands.
type maintained struct {
	On      bool   `json:"on"`
	Message string `json:"message,omitempty"`
}

func (m maintained) String() string {
	if m.On {
		return fmt.Sprintf("maintenance is on: %s", m.Message)
	}
	return "maintenance is off"
}

type maintenanceFlags struct {
	Message string `placeholder:"TEXT" help:"What users are told, up to 500 bytes."`
}

func (m *maintenance) on(ctx context.Context, a kit.Actor, in maintenanceFlags) (maintained, error) {
	if len(in.Message) > maxMaintenanceText {
		return maintained{}, errs.New(errs.Invalid, "--message: want up to %d bytes", maxMaintenanceText)
	}
	if err := os.WriteFile(m.path, []byte(in.Message+"\n"), 0o600); err != nil {
		return maintained{}, err
	}
	return m.status(ctx, a, kit.None{})
}

func (m *maintenance) off(ctx context.Context, a kit.Actor, _ kit.None) (maintained, error) {
	if err := os.Remove(m.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return maintained{}, err
	}
	return m.status(ctx, a, kit.None{})
}

func (m *maintenance) status(context.Context, kit.Actor, kit.None) (maintained, error) {
	err := m.read()
	return maintained{m.why() != "", m.why()}, err
}
