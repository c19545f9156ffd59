// Package tickets turns messages into tickets. It is an example of a module that acts: its bot reacts to messages,
// sends, edits, moves and deletes them, creates a channel and a group, subscribes users, and notifies them, each in the
// transaction of the ticket's row.
//
//	tickets.go what opens and closes a ticket
//	desk.go    the channel, the group and the bot that the module creates
//	rules.go   what the module revises and refuses in messages, and the searches that it adds
//	store.go   the table
package tickets

import (
	"context"
	"embed"
	"fmt"
	"strings"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/topic"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
	"go.uber.org/fx"
)

// Module is the module. Append it to the list in main.
var Module = kit.Define("tickets", "Turns messages into tickets.", Config{Channel: "support"}, wire)

// Config is the modules.tickets section of the configuration.
type Config struct {
	Channel string `yaml:"channel"` // where the tickets are; created with the first ticket
}

//go:embed migrations
var migrations embed.FS

type needs struct {
	fx.In
	DB        *bunstore.DB
	Work      ports.UnitOfWork
	Directory ports.Directory

	Accounts ports.Accounts
	Actions  ports.MessageActions
	Channels ports.Channels
	Files    ports.Files
	Groups   ports.Groups
	Messages ports.Messages
	Notifier ports.Notifier
	Policies ports.TopicPolicies
	Sender   ports.Sender
}

type service struct {
	needs
	cfg   Config
	store store
}

func wire(cfg Config, n needs) (kit.Parts, error) {
	s := &service{n, cfg, store{n.DB}}
	return kit.Parts{
		Endpoints: []kit.Endpoint{
			kit.POST("/tickets", kit.HumanMembers, s.open, "Turns a message into a ticket.").Fails(errs.ReactionExists),
			kit.POST("/tickets/:ticket_id/close", kit.HumanMembers, s.close, "Closes a ticket."),
			kit.DELETE("/tickets/:ticket_id", kit.Admins, s.delete, "Deletes a ticket."),
			kit.POST("/tickets/agents", kit.Admins, s.setAgents, "Adds and removes the users who are notified of tickets."),
		},
		Migrations: migrations,
		Bots:       []string{"tickets"},
		Tables:     []kit.Table{kit.Exported[row]("A ticket.")},
		Answers:    []kit.Answer{kit.Answers(s.revise)},
		Operators:  []kit.Operator{kit.OperatorByRows("ticket", "Selects messages with tickets.", s.reported)},
	}, nil
}

const emoji = "ticket"

type openReq struct {
	Message message.ID `json:"message_id"`
}

type openRes struct {
	ID int64 `json:"ticket_id"`
}

// open handles POST /tickets. The file is stored first, since files are not part of a transaction; everything else
// happens together, or not at all. Errors: BadRequest.
func (s *service) open(ctx context.Context, a kit.Actor, in openReq) (openRes, error) {
	found, err := s.Messages.Visible(ctx, a, in.Message)
	if err != nil {
		return openRes{}, err
	}
	if len(found) == 0 {
		return openRes{}, message.Invalid()
	}
	bot, err := s.Accounts.Bot(ctx, a.Realm, "tickets", "Tickets")
	if err != nil {
		return openRes{}, err
	}
	copied := strings.NewReader(found[0].Content)
	url, name, err := s.Files.StoreFile(ctx, bot, "message.txt", "text/plain", copied)
	if err != nil {
		return openRes{}, err
	}
	return kit.Tx(ctx, s.Work, func(ctx context.Context) (openRes, error) {
		if err := s.Actions.React(ctx, bot, in.Message, emoji); err != nil { // also if there is a ticket already
			return openRes{}, err
		}
		t := &row{RealmID: a.Realm, Reporter: a.User, MessageID: in.Message}
		if err := s.store.Insert(ctx, t); err != nil {
			return openRes{}, err
		}
		c, err := s.channel(ctx, bot, a.User)
		if err != nil {
			return openRes{}, err
		}
		t.NoteID, err = s.Sender.Send(ctx, bot, message.Outgoing{
			Channel: c, Topic: topicOf(t), Content: fmt.Sprintf("@_**|%d** reports: [%s](%s)", a.User, name, url),
		})
		if err != nil {
			return openRes{}, err
		}
		if err := s.store.SetNote(ctx, t); err != nil {
			return openRes{}, err
		}
		if err := s.Actions.Flag(ctx, a, message.NameStarred, in.Message); err != nil {
			return openRes{}, err
		}
		if err := s.Policies.Set(ctx, a, c, topicOf(t), topic.Followed); err != nil {
			return openRes{}, err
		}
		return openRes{t.ID}, s.Notifier.Notify(ctx, a.Realm, t.NoteID, s.agents(ctx, a.Realm)...)
	})
}

func topicOf(t *row) string { return fmt.Sprintf("ticket %d", t.ID) }

type oneReq struct {
	ID int64 `json:"ticket_id"`
}

// close handles POST /tickets/:ticket_id/close: the bot edits its note and resolves the topic. Errors: BadRequest.
func (s *service) close(ctx context.Context, a kit.Actor, in oneReq) (kit.None, error) {
	return kit.None{}, s.change(ctx, a, in.ID, func(ctx context.Context, bot user.Actor, t *row) error {
		if err := s.Actions.Unflag(ctx, a, message.NameStarred, t.MessageID); err != nil {
			return err
		}
		if err := s.Actions.Edit(ctx, bot, t.NoteID, fmt.Sprintf("Closed by @_**|%d**.", a.User)); err != nil {
			return err
		}
		resolved := topic.ResolvedPrefix + topicOf(t)
		return s.Actions.Move(ctx, bot, t.NoteID, ports.Move{Topic: &resolved, Mode: message.ChangeAll})
	})
}

// delete handles DELETE /tickets/:ticket_id. Errors: BadRequest.
func (s *service) delete(ctx context.Context, a kit.Actor, in oneReq) (kit.None, error) {
	return kit.None{}, s.change(ctx, a, in.ID, func(ctx context.Context, bot user.Actor, t *row) error {
		if err := s.Actions.Unreact(ctx, bot, t.MessageID, emoji); err != nil {
			return err
		}
		if err := s.Actions.Delete(ctx, a, t.NoteID); err != nil {
			return err
		}
		return s.store.Delete(ctx, t.ID)
	})
}

// change changes a ticket in a transaction. Errors: BadRequest for an unknown ticket; those of fn.
func (s *service) change(
	ctx context.Context, a kit.Actor, id int64, fn func(context.Context, user.Actor, *row) error,
) error {
	return s.Work.Do(ctx, func(ctx context.Context) error {
		bot, err := s.Accounts.Bot(ctx, a.Realm, "tickets", "Tickets")
		if err != nil {
			return err
		}
		t, err := s.store.Find(ctx, a.Realm, id)
		if err != nil {
			return err
		}
		if t == nil {
			return errs.Bad("Invalid ticket ID")
		}
		return fn(ctx, bot, t)
	})
}
