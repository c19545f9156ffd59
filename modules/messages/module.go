package messages

import (
	"context"
	"embed"
	"errors"
	"log/slog"
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
	"github.com/stoachat/stoa/modules/messages/internal/arrivals"
	"github.com/stoachat/stoa/modules/messages/internal/audience"
	"github.com/stoachat/stoa/modules/messages/internal/catchup"
	"github.com/stoachat/stoa/modules/messages/internal/conversations"
	"github.com/stoachat/stoa/modules/messages/internal/edit"
	"github.com/stoachat/stoa/modules/messages/internal/fetch"
	"github.com/stoachat/stoa/modules/messages/internal/flags"
	"github.com/stoachat/stoa/modules/messages/internal/history"
	"github.com/stoachat/stoa/modules/messages/internal/imports"
	"github.com/stoachat/stoa/modules/messages/internal/inbox"
	"github.com/stoachat/stoa/modules/messages/internal/index"
	"github.com/stoachat/stoa/modules/messages/internal/kernel"
	"github.com/stoachat/stoa/modules/messages/internal/markup"
	"github.com/stoachat/stoa/modules/messages/internal/notices"
	"github.com/stoachat/stoa/modules/messages/internal/react"
	states "github.com/stoachat/stoa/modules/messages/internal/readstate"
	"github.com/stoachat/stoa/modules/messages/internal/remove"
	"github.com/stoachat/stoa/modules/messages/internal/render"
	"github.com/stoachat/stoa/modules/messages/internal/rerender"
	"github.com/stoachat/stoa/modules/messages/internal/retention"
	"github.com/stoachat/stoa/modules/messages/internal/revise"
	"github.com/stoachat/stoa/modules/messages/internal/send"
	"github.com/stoachat/stoa/modules/messages/internal/store"
	"github.com/stoachat/stoa/modules/messages/internal/submessage"
	"github.com/stoachat/stoa/modules/messages/internal/topics"
	"github.com/stoachat/stoa/modules/messages/internal/typing"
	"github.com/stoachat/stoa/modules/messages/internal/updates"
	"github.com/stoachat/stoa/ports"
)

// Module stores messages and each reader's state for them.
var Module = kit.Provide("messages", "Sends, finds and flags messages.", Config{CacheKiB: 32 << 10}, wire)

// Config is the configuration of the module.
type Config struct {
	CacheKiB int `yaml:"cache_kib"` // memory for messages that were encoded for readers of the history, in KiB
}

// Validate checks what the decoder cannot.
func (c Config) Validate() error {
	if c.CacheKiB < 0 || c.CacheKiB > 4<<20 {
		return errors.New("cache_kib: want 0 to 4194304")
	}
	return nil
}

//go:embed migrations
var migrations embed.FS

type needs struct {
	fx.In
	DB        *bunstore.DB
	Work      ports.UnitOfWork
	Log       ports.EventLog
	Logger    *slog.Logger
	Audit     ports.Audit
	Directory ports.Directory
	Writer    ports.Writer
	Hooks     ports.Hooks
	Renderer  ports.Renderer
	Clock     ports.Clock
	Emoji     ports.Emoji
	Metrics   *ports.Metrics
	Realms    ports.Realms
	Collected *kit.Collected
	Muted     kit.QueryAll[readstate.MutedPlaces, readstate.Muting]
	Followers kit.Query[readstate.TopicFollowers, user.Set]
	Previews  kit.Query[message.PagePreviews, map[string]markdown.Embed]
	Usable    kit.Query[message.UsableFiles, map[string]markdown.Upload]
	Detached  kit.Query[message.DetachedFiles, []message.Attachment]
	Widget    kit.Query[message.WidgetOf, string]
	Revising  kit.QueryAll[message.Revising, string]
	Days      kit.Query[message.RetentionDays, map[realm.ID]int]
	Oldest    kit.Query[message.OldestRetained, []message.First]

	ZulipNames kit.Query[realm.KnowsOnlyZulipNames, bool]

	Policies ports.AutomaticPolicies `optional:"true"`
}

// provides holds the ports that the module provides.
type provides struct {
	fx.Out
	Sender     ports.Sender
	Dispatcher ports.Dispatcher
	Messages   ports.Messages
	Actions    ports.MessageActions
	Receivers  ports.Receivers
	Rerenderer ports.Rerenderer
	Attach     ports.Submessages
	Read       ports.ReadStates
	Imports    ports.MessageImport
}

func wire(c Config, n needs) (kit.Parts, provides, error) {
	core := kernel.Ports{
		Work: n.Work, Log: n.Log, Audit: n.Audit, Directory: n.Directory, Writer: n.Writer, Hooks: n.Hooks, Clock: n.Clock,
	}
	messageStore := store.New(n.DB, n.Work)
	inboxes := inbox.New(n.DB)
	flagService := flags.New(flags.NewStore(n.DB), inboxes)
	audiences := audience.New(inboxes, flagService.Store)
	topicService := topics.New(n.DB, inboxes, audiences)
	readStates := states.New(states.Needs{
		Ports: core, DB: n.DB, Inbox: inboxes, Flags: flagService.Store, Audience: audiences, Topics: topicService,
		Muted: n.Muted,
	})
	conversationService := &conversations.Service{Ports: core, Store: messageStore.Conversations}
	markupService := markup.New(markup.Needs{
		Store: messageStore, Renderer: n.Renderer, Clock: n.Clock, Previews: n.Previews, Usable: n.Usable,
	})
	reviser := &revise.Service{Modules: n.Revising}
	arrivalService := arrivals.New(messageStore, audiences, n.Renderer, n.Collected, n.Logger)
	sender := send.New(send.Needs{
		Ports: core, Store: messageStore, Flags: flagService, Conversations: conversationService, Markup: markupService,
		Arrivals: arrivalService, Followers: n.Followers, Widget: n.Widget, Revising: reviser,
		Policies: n.Policies, Metrics: n.Metrics, Collected: n.Collected,
	})
	noticeService := &notices.Service{Sender: sender, Directory: n.Directory}
	accessService := &access.Service{
		Store: messageStore, Audience: audiences, Flags: flagService.Store, States: readStates,
	}
	fetcher := &fetch.Service{
		Store: messageStore, Inbox: inboxes, Flags: flagService.Store, States: readStates, Access: accessService,
		Directory: n.Directory, Realms: n.Realms, Renderer: n.Renderer, Muted: n.Muted, Collected: n.Collected,
		ZulipNames: n.ZulipNames, Rows: render.NewRows(c.CacheKiB << 10),
	}
	indexer := &index.Service{Words: messageStore.Words, Work: n.Work, Realms: n.Realms, Audit: n.Audit}
	remover := &remove.Service{
		Ports: core, Store: messageStore, Audience: audiences, Flags: flagService, Access: accessService,
	}
	retainer := &retention.Service{
		Ports: core, Store: messageStore, Audience: audiences, Remover: remover, Realms: n.Realms, Days: n.Days,
		Oldest: n.Oldest,
	}
	reactor := react.New(react.Needs{
		Ports: core, Store: messageStore, Audience: audiences, Flags: flagService, Access: accessService, Emoji: n.Emoji,
	})
	submessages := submessage.New(submessage.Needs{
		Ports: core, Store: messageStore, Audience: audiences, Access: accessService,
	})
	updateService := updates.New(messageStore, readStates, n.Renderer)
	editor := edit.New(edit.Needs{
		Ports: core, Store: messageStore, Audience: audiences, Flags: flagService, Topics: topicService,
		Access: accessService, Remover: remover, Sender: sender, Updates: updateService, Detached: n.Detached,
	})
	editTyping := typing.New(typing.Needs{Ports: core, Audience: audiences, Access: accessService})
	editHistory := &history.Service{Edits: messageStore.Edits, Access: accessService, Directory: n.Directory}
	rerenderer := &rerender.Service{
		Ports: core, Store: messageStore, Audience: audiences, Markup: markupService, Updates: updateService,
	}
	missed := &catchup.Service{
		Store: messageStore, Markup: markupService, Audience: audiences, Directory: n.Directory,
	}
	archiver := &archive.Service{Store: messageStore, States: readStates, Access: accessService, Inbox: inboxes}
	parts := readStates.Parts()
	parts.Migrations = migrations
	parts.Tables = slices.Concat(archiver.Tables(), store.Tables(), states.Tables())
	parts.Doctor = append(parts.Doctor, messageStore.Diagnoses()...)
	parts.Schemas = slices.Concat(arrivals.Schemas(), render.Schemas(), states.Schemas(), typing.Schemas())
	parts.Endpoints = slices.Concat(
		sender.Endpoints(),
		noticeService.Endpoints(),
		fetcher.Endpoints(),
		editor.Endpoints(),
		editTyping.Endpoints(),
		editHistory.Endpoints(),
		remover.Endpoints(),
		reactor.Endpoints(),
		parts.Endpoints,
	)
	parts.Directory = append(parts.Directory, directory.Part{Name: "messages", Then: conversationService.Partners})
	parts.Register = slices.Concat(
		fetcher.Sections(), flagService.Parts().Register, sender.Sections(), parts.Register,
	)
	parts.Events = slices.Concat(
		flagService.Parts().Events,
		reactor.Events(),
		editTyping.Events(),
		[]kit.AnyEvent{submessages.Event(), arrivalService.Event(), updateService.Event(), remove.Event()},
	)
	parts.Hooks = slices.Concat(
		sender.Listeners(),
		noticeService.Listeners(),
		conversationService.Listeners(),
		parts.Hooks,
		remover.Listeners(),
	)
	reader := access.Port{Service: accessService, Directory: n.Directory}
	parts.Answers = []kit.Answer{
		kit.Answers(fetcher.Counts),
		kit.Answers(fetcher.Object),
		kit.Answers(fetcher.Newest),
		kit.Answers(reader.MostDiscussed),
		kit.Answers(reader.Writers),
		kit.Answers(archiver.InExport),
		kit.Answers(missed.ChangedSince),
		kit.Answers(missed.MovedSince),
		kit.Answers(missed.Gone),
		kit.Answers(func(ctx context.Context, q message.TopicStarts) ([]bool, error) {
			v, err := n.Directory.View(ctx, q.Realm)
			if err != nil {
				return nil, err
			}
			return topicService.BeginTopics(ctx, v, q.Messages)
		}),
	}
	parts.Commands = indexer.Commands()
	parts.CatchUp = readStates.CatchUp
	parts.Jobs = append(slices.Concat(parts.Jobs, indexer.Jobs(), rerenderer.Jobs()),
		kit.Job{Name: "send keys", Deletes: true, Every: time.Hour, Timeout: 10 * time.Minute, Run: sender.Cleanup},
		kit.Job{Name: "archive", Deletes: true, Every: time.Hour, Timeout: 10 * time.Minute, Run: remover.EmptyArchive},
		retainer.Job(), remover.Purges(),
	)
	return parts, provides{
		Sender: sender, Dispatcher: send.NewDispatcher(sender), Messages: reader, Receivers: reader,
		Actions:    actions{reactor, editor, remover, readStates},
		Rerenderer: rerenderer,
		Attach:     submessages,
		Read:       readStates,
		Imports: &imports.Service{
			Ports: core, Store: messageStore, Flags: flagService, Markup: markupService, States: readStates,
			Inbox: inboxes, Revising: reviser,
		},
	}, nil
}
