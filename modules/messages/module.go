package messages

import (
	"context"
	"embed"
	"slices"
	"time"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/markdown"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/readstate"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/messages/internal/access"
	"github.com/stoachat/stoa/modules/messages/internal/archive"
	"github.com/stoachat/stoa/modules/messages/internal/audience"
	"github.com/stoachat/stoa/modules/messages/internal/conversations"
	"github.com/stoachat/stoa/modules/messages/internal/edit"
	"github.com/stoachat/stoa/modules/messages/internal/fetch"
	"github.com/stoachat/stoa/modules/messages/internal/flags"
	"github.com/stoachat/stoa/modules/messages/internal/inbox"
	"github.com/stoachat/stoa/modules/messages/internal/markup"
	"github.com/stoachat/stoa/modules/messages/internal/notices"
	"github.com/stoachat/stoa/modules/messages/internal/react"
	states "github.com/stoachat/stoa/modules/messages/internal/readstate"
	"github.com/stoachat/stoa/modules/messages/internal/remove"
	"github.com/stoachat/stoa/modules/messages/internal/retention"
	"github.com/stoachat/stoa/modules/messages/internal/send"
	"github.com/stoachat/stoa/modules/messages/internal/store"
	"github.com/stoachat/stoa/modules/messages/internal/submessage"
	"github.com/stoachat/stoa/modules/messages/internal/topics"
	"github.com/stoachat/stoa/ports"
)

// Module stores messages and each reader's state for them.
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
	Muted     kit.QueryAll[readstate.MutedPlaces, readstate.Muting]
	Followers kit.Query[readstate.TopicFollowers, user.Set]
	Previews  kit.Query[message.PagePreviews, map[string]markdown.Embed]
	Days      kit.Query[message.RetentionDays, map[realm.ID]int]
	Oldest    kit.Query[message.OldestRetained, []message.First]
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
	Read       ports.ReadStates
}

func wire(_ Config, n needs) (kit.Parts, gives, error) {
	rows := store.New(n.DB, n.Work)
	in := inbox.New(n.DB)
	flagged := flags.New(flags.NewStore(n.DB), in)
	affected := audience.New(in, flagged.Store)
	discussed := topics.New(n.DB, in, affected)
	read := states.New(states.Needs{
		DB: n.DB, Inbox: in, Flags: flagged.Store, Audience: affected, Topics: discussed,
		Work: n.Work, Log: n.Log, Directory: n.Directory, Writer: n.Writer, Hooks: n.Hooks, Muted: n.Muted,
	})
	direct := &conversations.Service{Store: rows.Conversations, Work: n.Work, Log: n.Log, Directory: n.Directory}
	rendering := markup.New(markup.Needs{
		Store: rows, Hooks: n.Hooks, Renderer: n.Renderer, Clock: n.Clock, Previews: n.Previews,
	})
	sending := send.New(send.Needs{
		Store: rows, Audience: affected, Flags: flagged, Conversations: direct, Markup: rendering,
		Work: n.Work, Log: n.Log, Directory: n.Directory, Writer: n.Writer, Hooks: n.Hooks, Renderer: n.Renderer,
		Clock: n.Clock, Followers: n.Followers,
	})
	notifying := &notices.Service{Sending: sending, Directory: n.Directory}
	seeing := &access.Service{Store: rows, Audience: affected, Flags: flagged.Store, States: read}
	finding := &fetch.Service{
		Store:     rows,
		Inbox:     in,
		Flags:     flagged.Store,
		States:    read,
		Access:    seeing,
		Directory: n.Directory,
		Hooks:     n.Hooks,
		Muted:     n.Muted,
		Renderer:  n.Renderer,
		Realms:    n.Realms,
		Work:      n.Work,
	}
	removing := &remove.Service{
		Store: rows, Audience: affected, Flags: flagged, Access: seeing,
		Work: n.Work, Log: n.Log, Directory: n.Directory, Hooks: n.Hooks, Clock: n.Clock,
	}
	retaining := &retention.Service{
		Store: rows, Audience: affected, Removing: removing, Work: n.Work, Directory: n.Directory, Clock: n.Clock,
		Realms: n.Realms, Days: n.Days, Oldest: n.Oldest,
	}
	reacting := react.New(react.Needs{
		Store: rows, Audience: affected, Flags: flagged, Access: seeing,
		Directory: n.Directory, Writer: n.Writer, Hooks: n.Hooks, Emoji: n.Emoji,
	})
	attaching := submessage.New(submessage.Needs{
		Store: rows, Audience: affected, Access: seeing, Work: n.Work, Log: n.Log, Directory: n.Directory, Hooks: n.Hooks,
	})
	editing := edit.New(edit.Needs{
		Store: rows, Audience: affected, Flags: flagged, States: read, Topics: discussed,
		Access: seeing, Removing: removing, Sending: sending, Markup: rendering,
		Work: n.Work, Log: n.Log, Directory: n.Directory, Writer: n.Writer, Hooks: n.Hooks, Renderer: n.Renderer,
		Clock: n.Clock,
	})
	archived := &archive.Service{Store: rows, States: read, Access: seeing}
	parts := read.Parts()
	parts.Exports = archived.Exports()
	parts.Migrations, parts.Rows = migrations, tables()
	parts.Endpoints = slices.Concat(
		sending.Endpoints(),
		notifying.Endpoints(),
		finding.Endpoints(),
		editing.Endpoints(),
		removing.Endpoints(),
		reacting.Endpoints(),
		parts.Endpoints,
	)
	parts.Directory = append(parts.Directory, directory.Part{Name: "messages", Then: direct.Partners})
	parts.Register = slices.Concat(finding.Sections(), flagged.Parts().Register, parts.Register)
	parts.Events = slices.Concat(
		flagged.Parts().Events,
		reacting.Events(),
		editing.TypingEvents(),
		[]kit.AnyEvent{attaching.Event(), sending.Event(), editing.Event(), remove.Event()},
	)
	parts.Hooks = slices.Concat(
		sending.Listeners(),
		notifying.Listeners(),
		direct.Listeners(),
		parts.Hooks,
		removing.Listeners(),
		[]kit.Hook{
			kit.On(finding.Introduce),
		},
	)
	parts.Answers = []kit.Answer{
		kit.Answers(finding.Counts),
		kit.Answers(func(ctx context.Context, q message.TopicStarts) ([]bool, error) {
			v, err := n.Directory.View(ctx, q.Realm)
			if err != nil {
				return nil, err
			}
			return discussed.Begin(ctx, v, q.Messages)
		}),
	}
	parts.Jobs = append(slices.Concat(parts.Jobs, finding.Jobs(), editing.Jobs()),
		kit.Job{Name: "send keys", Every: time.Hour, Timeout: 10 * time.Minute, Run: sending.Cleanup},
		kit.Job{Name: "archive", Every: time.Hour, Timeout: 10 * time.Minute, Run: removing.EmptyArchive},
		retaining.Job(), removing.Purges(),
	)
	reader := access.Port{Service: seeing, Directory: n.Directory}
	return parts, gives{
		Sender: sending, Dispatcher: send.NewDispatcher(sending), Messages: reader, Receivers: reader, Discussed: reader,
		Again:    editing,
		Objects:  finding,
		Attach:   attaching,
		Exported: archived,
		Read:     read,
	}, nil
}
