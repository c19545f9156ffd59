package server

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"sync/atomic"

	"github.com/stoachat/stoa/app/internal/nodes"
	"github.com/stoachat/stoa/domain/audit"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/modules/kit"
)

// maintenance is the mode in which all nodes only read. It is kept in the database, at which they look every few
// seconds.
type maintenance struct {
	s       *Server
	message atomic.Pointer[string] // what the operator tells users, which may be empty; nil: off
}

const (
	maxMaintenanceText = 500 // bytes
	maintenanceText    = "The server is under maintenance: it can be read, but not changed. Please try again later."
)

type maintenanceRes struct {
	Message *string `json:"maintenance"` // null: off
}

// get handles GET /maintenance.
func (m *maintenance) get(context.Context, kit.Actor, kit.None) (maintenanceRes, error) {
	return maintenanceRes{m.message.Load()}, nil
}

// why returns why changes are refused, or "" if they are not.
func (m *maintenance) why() string {
	if text := m.message.Load(); text != nil {
		return cmp.Or(*text, maintenanceText)
	}
	return ""
}

// learn receives the message that the database contains.
func (m *maintenance) learn(message *string) {
	was := m.message.Swap(message)
	switch {
	case was == nil && message != nil:
		m.s.Log.Warn("maintenance has begun: changes are refused", "message", *message)
	case was != nil && message == nil:
		m.s.Log.Info("maintenance has ended: changes are accepted again")
	}
}

func (m *maintenance) commands() []kit.Command {
	return []kit.Command{
		kit.NewCommand("maintenance on", m.on, "Only read: refuse all changes with a message, on all nodes.").OfServer(),
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
	message := strings.TrimSpace(in.Message)
	return m.set(ctx, a, &message, audit.MaintenanceBegun)
}

func (m *maintenance) off(ctx context.Context, a kit.Actor, _ kit.None) (maintained, error) {
	return m.set(ctx, a, nil, audit.MaintenanceEnded)
}

func (m *maintenance) set(ctx context.Context, a kit.Actor, message *string, as audit.Action) (maintained, error) {
	err := m.s.kernel.Do(ctx, func(ctx context.Context) error {
		changed, err := nodes.SetMaintenance(ctx, m.s.db, message)
		if err != nil || !changed {
			return err
		}
		var values audit.Values
		if message != nil {
			values = audit.Values{"message": *message}
		}
		return m.s.recordForAll(ctx, as, audit.Server, values)
	})
	if err != nil {
		return maintained{}, err
	}
	return m.status(ctx, a, kit.None{})
}

func (m *maintenance) status(ctx context.Context, _ kit.Actor, _ kit.None) (maintained, error) {
	message, err := nodes.Maintenance(ctx, m.s.db)
	if err != nil {
		return maintained{}, err
	}
	m.learn(message)
	return maintained{message != nil, m.why()}, nil
}
