// Package edit edits and moves messages, and returns their history.
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
	"github.com/stoachat/stoa/modules/messages/internal/markup"
	"github.com/stoachat/stoa/modules/messages/internal/readstate"
	"github.com/stoachat/stoa/modules/messages/internal/remove"
	"github.com/stoachat/stoa/modules/messages/internal/send"
	"github.com/stoachat/stoa/modules/messages/internal/store"
	"github.com/stoachat/stoa/modules/messages/internal/topics"
	"github.com/stoachat/stoa/ports"
)

// moveCost is the cost of moving one message, charged to the caller's budget for searches, in bytes.
const moveCost = 4 << 10

// Needs holds the dependencies of the service.
type Needs struct {
	Store     *store.Store
	Audience  *audience.Service
	Flags     *flags.Service
	States    *readstate.Service
	Topics    *topics.Service
	Access    *access.Service
	Remover   *remove.Service
	Sender    *send.Service
	Markup    *markup.Service
	Work      ports.UnitOfWork
	Log       ports.EventLog
	Directory ports.Directory
	Writer    ports.Writer
	Hooks     ports.Hooks
	Renderer  ports.Renderer
	Clock     ports.Clock
	Detached  kit.Query[message.DetachedFiles, []message.Attachment]
}

// Service edits and moves messages.
type Service struct {
	Needs
	event            kit.EventType[updated]
	typingKind       *ports.IntentKind
	started, stopped kit.EventType[typingNotice]
	moving           *kit.Semaphore[user.ID] // limits each user to one move of several messages at a time
}

// New returns the service.
func New(n Needs) *Service {
	s := &Service{Needs: n, moving: kit.NewSemaphore[user.ID](1)}
	s.event = kit.Event[updated](message.EventUpdate, "").Late(s.load).Shape(s.shape).Personal(receive).
		PerReceiver(s.restrictedForm).ForFollowers()
	s.typingKind = &ports.IntentKind{Name: "edit typing", Order: 95, Write: s.writeTyping}
	s.started, s.stopped = s.typingEvent("start"), s.typingEvent("stop")
	return s
}

// Endpoints returns the package's endpoints.
func (s *Service) Endpoints() []kit.Endpoint {
	return []kit.Endpoint{
		kit.PATCH("/messages/:message_id", kit.Users, s.patch, "Changes a message's content, topic or channel."),
		kit.POST(
			"/messages/:message_id/typing",
			kit.Users,
			s.typing,
			"Reports that the caller has started or stopped editing a message.",
		),
		kit.GET("/messages/:message_id/history", kit.Users, s.history, "Returns a message's edit history."),
	}
}

// Event returns the event type update_message.
func (s *Service) Event() kit.AnyEvent { return s.event.Any() }

type request struct {
	ID        message.ID  `json:"message_id"`
	Topic     *string     `json:"topic" alias:"subject"`
	Channel   *channel.ID `json:"stream_id"`
	Mode      string      `json:"propagate_mode" default:"change_one"`
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
	switch in.Mode {
	case message.ChangeOne, message.ChangeLater, message.ChangeAll:
	default:
		return response{}, errs.Bad("Invalid propagate_mode")
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
	return kit.Tx(ctx, s.Work, func(ctx context.Context) (response, error) {
		c, err := s.prepare(ctx, a, in)
		if err != nil {
			return response{}, err
		}
		if err := s.apply(ctx, c); err != nil {
			return response{}, err
		}
		detached, err := s.notify(ctx, c)
		if detached == nil {
			detached = []message.Attachment{}
		}
		return response{detached}, err
	})
}
