package messages

import (
	"embed"
	"slices"
	"time"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/messages/internal/access"
	"github.com/stoachat/stoa/modules/messages/internal/archive"
	"github.com/stoachat/stoa/modules/messages/internal/edit"
	"github.com/stoachat/stoa/modules/messages/internal/fetch"
	"github.com/stoachat/stoa/modules/messages/internal/react"
	"github.com/stoachat/stoa/modules/messages/internal/reading"
	"github.com/stoachat/stoa/modules/messages/internal/remove"
	"github.com/stoachat/stoa/modules/messages/internal/send"
	"github.com/stoachat/stoa/modules/messages/internal/store"
	"github.com/stoachat/stoa/modules/messages/internal/submessage"
	"github.com/stoachat/stoa/ports"
)

// Module is the module.
var Module = kit.Provide("messages", "Sends, finds and flags messages.", Config{}, wire)

// Config has no settings yet.
type Config struct{}

//go:embed migrations
var migrations embed.FS

type needs struct {
	fx.In
	DB        *bunstore.DB
	Work      ports.UnitOfWork
	Log       ports.EventLog
	Directory ports.Directory
	Writer    ports.Writer
	Hooks     ports.Hooks
	Renderer  ports.Renderer
	Clock     ports.Clock
	Emoji     ports.Emoji
	Realms    ports.Realms
}

type gives struct {
	fx.Out
	Sender     ports.Sender
	Dispatcher ports.Dispatcher
	Messages   ports.Messages
	Receivers  ports.Receivers
	Discussed  ports.Discussions
	Again      ports.Rerenderer
	Objects    ports.MessageObjects
	Attach     ports.Submessages
	Exported   ports.ExportedMessages
}

func wire(_ Config, n needs) (kit.Parts, gives, error) {
	rows := store.New(n.DB, n.Work)
	flags := reading.New(reading.Needs{
		DB: n.DB, Work: n.Work, Log: n.Log, Directory: n.Directory, Writer: n.Writer, Hooks: n.Hooks, Clock: n.Clock,
	})
	sending := send.New(send.Needs{
		Store: rows, Reading: flags, Work: n.Work, Log: n.Log, Directory: n.Directory, Writer: n.Writer, Hooks: n.Hooks,
		Renderer: n.Renderer, Clock: n.Clock,
	})
	seeing := &access.Service{Store: rows, Reading: flags}
	finding := &fetch.Service{
		Store:     rows,
		Reading:   flags,
		Access:    seeing,
		Directory: n.Directory,
		Hooks:     n.Hooks,
		Renderer:  n.Renderer,
		Realms:    n.Realms,
		Work:      n.Work,
	}
	removing := &remove.Service{
		Store: rows, Reading: flags, Access: seeing, Work: n.Work, Log: n.Log, Directory: n.Directory, Hooks: n.Hooks, Clock: n.Clock,
		Realms: n.Realms,
	}
	reacting := react.New(react.Needs{
		Store: rows, Reading: flags, Access: seeing, Directory: n.Directory, Writer: n.Writer, Hooks: n.Hooks, Emoji: n.Emoji,
	})
	attaching := submessage.New(submessage.Needs{
		Store: rows, Reading: flags, Access: seeing, Work: n.Work, Log: n.Log, Directory: n.Directory, Hooks: n.Hooks,
	})
	editing := edit.New(edit.Needs{
		Store: rows, Reading: flags, Access: seeing, Removing: removing, Sending: sending, Work: n.Work, Log: n.Log, Directory: n.Directory,
		Writer: n.Writer, Hooks: n.Hooks, Renderer: n.Renderer, Clock: n.Clock,
	})
	archived := &archive.Service{Store: rows, Reading: flags, Access: seeing}
	parts := flags.Parts()
	parts.Exports = archived.Exports()
	parts.Migrations, parts.Rows = migrations, tables()
	parts.Endpoints = slices.Concat(
		sending.Endpoints(),
		finding.Endpoints(),
		editing.Endpoints(),
		removing.Endpoints(),
		reacting.Endpoints(),
		parts.Endpoints,
	)
	parts.Directory = append(parts.Directory, directory.Part{Name: "messages", Then: sending.Partners})
	parts.Register = slices.Concat(finding.Sections(), parts.Register)
	parts.Events = slices.Concat(
		parts.Events,
		reacting.Events(),
		editing.TypingEvents(),
		[]kit.AnyEvent{attaching.Event(), sending.Event(), editing.Event(), remove.Event()},
	)
	parts.Hooks = slices.Concat(
		sending.Attached(),
		parts.Hooks,
		removing.Attached(),
		[]kit.Hook{kit.On(finding.Introduce), kit.On(finding.Tally)},
	)
	parts.Jobs = append(slices.Concat(parts.Jobs, finding.Jobs(), editing.Jobs()),
		kit.Job{Name: "send keys", Every: time.Hour, Timeout: 10 * time.Minute, Run: sending.Cleanup},
		kit.Job{Name: "archive", Every: time.Hour, Timeout: 10 * time.Minute, Run: removing.Empty},
		removing.Retention(), removing.Purges(),
	)
	reader := access.Port{Service: seeing, Directory: n.Directory}
	return parts, gives{
		Sender: sending, Dispatcher: sending, Messages: reader, Receivers: reader, Discussed: reader, Again: editing, Objects: finding,
		Attach:   attaching,
		Exported: archived,
	}, nil
}
