// Package edit edits and moves messages.
package edit

import (
	"context"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/messages/internal/access"
	"github.com/stoachat/stoa/modules/messages/internal/audience"
	"github.com/stoachat/stoa/modules/messages/internal/flags"
	"github.com/stoachat/stoa/modules/messages/internal/kernel"
	"github.com/stoachat/stoa/modules/messages/internal/remove"
	"github.com/stoachat/stoa/modules/messages/internal/send"
	"github.com/stoachat/stoa/modules/messages/internal/store"
	"github.com/stoachat/stoa/modules/messages/internal/topics"
	"github.com/stoachat/stoa/modules/messages/internal/updates"
	"github.com/stoachat/stoa/ports"
)

// moveCost is the cost of moving one message, charged to the caller's budget for searches, in bytes.
const moveCost = 4 << 10

// Needs holds the dependencies of the service.
type Needs struct {
	kernel.Ports
	Store    *store.Store
	Audience *audience.Service
	Flags    *flags.Service
	Topics   *topics.Service
	Access   *access.Service
	Remover  *remove.Service
	Sender   *send.Service
	Updates  *updates.Service
	Detached kit.Query[message.DetachedFiles, []message.Attachment]
}

// Service edits and moves messages. Edit and Move implement part of [ports.MessageActions].
type Service struct {
	Needs
	moving *kit.Semaphore[user.ID] // limits each user to one move of several messages at a time
}

// New returns the service.
func New(n Needs) *Service { return &Service{Needs: n, moving: kit.NewSemaphore[user.ID](1)} }

// Endpoints returns the package's endpoints.
func (s *Service) Endpoints() []kit.Endpoint {
	return []kit.Endpoint{
		kit.PATCH("/messages/:message_id", kit.Users, s.patch, "Edits a message, or moves messages or a topic."),
	}
}

type request struct {
	ID        message.ID  `json:"message_id"`
	Topic     *string     `json:"topic" alias:"subject" doc:"The topic to move to; omitted: the present one."`
	Channel   *channel.ID `json:"stream_id" doc:"The channel to move to; omitted: the present one."`
	Mode      string      `json:"propagate_mode" default:"change_one" enum:"change_one,change_later,change_all"`
	NotifyOld bool        `json:"send_notification_to_old_thread" default:"false"`
	NotifyNew bool        `json:"send_notification_to_new_thread" default:"true"`
	Content   *string     `json:"content"`
	PrevHash  *string     `json:"prev_content_sha256"`
}

// target returns the requested channel, or 0.
func (r request) target() channel.ID {
	switch {
	case r.Channel == nil:
		return 0
	case *r.Channel == 0:
		return -1 // 0 means that no channel was given
	}
	return *r.Channel
}

type response struct {
	Detached []message.Attachment `json:"detached_uploads"`
}

// patch handles PATCH /messages/:message_id. Errors: BadRequest, Expectation, MoveLimit, StreamWildcard, TopicWildcard,
// RateLimit.
func (s *Service) patch(ctx context.Context, a kit.Actor, in request) (response, error) {
	if err := checkMode(in.Mode); err != nil {
		return response{}, err
	}
	if err := s.precheck(ctx, a, in); err != nil {
		return response{}, err
	}
	if in.Mode != message.ChangeOne && (in.Topic != nil || in.Channel != nil) {
		done, err := s.moving.Acquire(ctx, a.User)
		if err != nil {
			return response{}, err
		}
		defer done()
		if err := ports.Spend(ctx, moveCost); err != nil { // charge before waiting for locks
			return response{}, err
		}
	}
	detached, err := s.change(ctx, a, in)
	return response{detached}, err
}

func checkMode(mode string) error {
	switch mode {
	case message.ChangeOne, message.ChangeLater, message.ChangeAll:
		return nil
	}
	return errs.Bad("Invalid propagate_mode")
}

// Edit replaces the content of a message. It joins an open unit of work. Errors: as for PATCH /messages.
func (s *Service) Edit(ctx context.Context, as user.Actor, id message.ID, content string) error {
	_, err := s.change(ctx, as, request{ID: id, Mode: message.ChangeOne, Content: &content})
	return err
}

// Move moves a message, and further messages of its topic, to another topic or channel. It joins an open unit of work.
// Errors: as for PATCH /messages.
func (s *Service) Move(ctx context.Context, as user.Actor, id message.ID, m ports.Move) error {
	in := request{ID: id, Topic: m.Topic, Mode: m.Mode, NotifyOld: m.NotifyOld, NotifyNew: m.NotifyNew}
	if in.Mode == "" {
		in.Mode = message.ChangeOne
	}
	if m.Channel != 0 {
		in.Channel = &m.Channel
	}
	if err := checkMode(in.Mode); err != nil {
		return err
	}
	_, err := s.change(ctx, as, in)
	return err
}

// change makes a change and returns the actor's files that are no longer attached to any message.
func (s *Service) change(ctx context.Context, a kit.Actor, in request) ([]message.Attachment, error) {
	return kit.Tx(ctx, s.Work, func(ctx context.Context) ([]message.Attachment, error) {
		c, err := s.prepare(ctx, a, in)
		if err != nil {
			return nil, err
		}
		if err := s.apply(ctx, c); err != nil {
			return nil, err
		}
		detached, err := s.notify(ctx, c)
		if detached == nil {
			detached = []message.Attachment{}
		}
		return detached, err
	})
}
