package scheduled

import (
	"embed"
	"log/slog"
	"sync"
	"time"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

//go:embed migrations
var migrations embed.FS

// Module sends scheduled messages and reminders.
var Module = kit.Define("scheduled", "Sends messages at a chosen time, and reminds users of messages.", Config{}, wire)

// Config has no settings.
type Config struct{}

type needs struct {
	fx.In
	DB         *bunstore.DB
	Work       ports.UnitOfWork
	Log        ports.EventLog
	Directory  ports.Directory
	Hooks      ports.Hooks
	Clock      ports.Clock
	Node       ports.Node
	Dispatcher ports.Dispatcher
	Sender     ports.Sender
	Messages   ports.Messages
	Logger     *slog.Logger
}

type service struct {
	needs
	rows    store
	backlog *kit.Backlog

	delivering sync.Mutex
	steady     kit.Steady
}

func wire(_ Config, n needs) (kit.Parts, error) {
	s := &service{needs: n, rows: store{n.DB}, backlog: &kit.Backlog{Earliest: earliest}}
	s.steady.Ahead(n.Clock)
	return kit.Parts{
		Schemas: schemas(),
		Endpoints: []kit.Endpoint{
			kit.GET("/scheduled_messages", kit.Users, s.list,
				"Lists the caller's scheduled messages that have not been sent, by time."),
			kit.POST("/scheduled_messages", kit.Users, s.add, "Schedules a message of the caller."),
			kit.PATCH("/scheduled_messages/:scheduled_message_id", kit.Users, s.change,
				"Changes a scheduled message of the caller."),
			kit.DELETE("/scheduled_messages/:scheduled_message_id", kit.Users, s.remove,
				"Deletes a scheduled message of the caller."),
			kit.GET("/reminders", kit.Users, s.listReminders, "Lists the caller's reminders, by time."),
			kit.POST("/reminders", kit.Users, s.addReminder, "Reminds the caller of a message at a chosen time."),
			kit.DELETE("/reminders/:reminder_id", kit.Users, s.removeReminder, "Deletes a reminder of the caller."),
		},
		Tables: []kit.Table{
			kit.Exported[row]("A scheduled message (kind 0) or reminder (kind 1): pending (state 0), failed (1) or sent (2)."),
			kit.NotExported[lease]("the lease of the node that delivers messages"),
		},
		Leases:     []kit.Lease{{Table: "scheduled_turn", Column: "holder"}},
		Migrations: migrations,
		Register: []kit.Section{
			kit.Register("scheduled_messages", s.section), kit.Register("reminders", s.reminderSection),
		},
		Events: []kit.AnyEvent{
			messageAdded.Late(s.load).Any(), messageChanged.Late(s.load).Any(), messageRemoved.Any(),
			reminderAdded.Late(s.loadReminders).Any(), reminderRemoved.Any(),
		},
		Answers: []kit.Answer{kit.Answers(s.waiting)},
		Hooks:   []kit.Hook{kit.On(s.profileDeleted).Again(), kit.On(s.restored)},
		Jobs: []kit.Job{
			{
				Name: "deliver", Every: 100 * time.Millisecond, Backlog: s.backlog, Timeout: time.Minute, Everywhere: true,
				Run: s.deliver,
			},
			{Name: "forget_sent", Deletes: true, Every: time.Hour, Timeout: 10 * time.Minute, Run: s.deleteSent},
		},
	}, nil
}
