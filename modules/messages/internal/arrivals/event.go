// Package arrivals notifies clients of new messages.
package arrivals

import (
	"context"
	"encoding/json"
	"log/slog"
	"slices"
	"strings"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/group"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/narrow"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/readstate"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/messages/internal/audience"
	"github.com/stoachat/stoa/modules/messages/internal/render"
	"github.com/stoachat/stoa/modules/messages/internal/store"
	"github.com/stoachat/stoa/ports"
)

// Arrival is the logged payload of a new message. It contains what determines the receivers' flags, but no content. It
// lists mentioned groups rather than their members, so that its size does not depend on the size of groups.
type Arrival struct {
	ID           message.ID        `json:"id"`
	Realm        realm.ID          `json:"realm"`
	Recipient    message.Recipient `json:"recipient"`
	Sender       user.ID           `json:"sender"`
	Facts        message.Facts     `json:"facts,omitempty"`
	ReadFor      user.ID           `json:"read_for,omitempty"`
	Users        []user.ID         `json:"users,omitempty"`        // users mentioned by name
	Groups       []group.ID        `json:"groups,omitempty"`       // mentioned groups
	Participants user.Set          `json:"participants,omitempty"` // participants of the topic, if they are mentioned
	Alerted      user.Set          `json:"alerted,omitempty"`      // users with an alert word in the content
	Notice       bool              `json:"notice,omitempty"`       // a resolve notice
	UnreadNotice user.Set          `json:"heeded,omitempty"`       // users for whom it is unread although it is a notice
	ByMention    user.Set          `json:"reached,omitempty"`      // bots that receive it without being subscribed
	Queue        string            `json:"queue,omitempty"`        // identifies the message for the sender's client
	Local        string            `json:"local,omitempty"`

	loaded  *message.Message  // nil: deleted
	holders *audience.Holders // users who have it, if it was ever moved between channels
	members user.Set
	now     *directory.View // the view with which the message was loaded
}

// wire is the part of the event that receivers share.
type wire struct {
	Message render.Object `json:"message"`
}

// personal is the part for one receiver. It is comparable, so that receivers with equal values share an encoded form.
type personal struct {
	Flags names  `json:"flags"`
	Local string `json:"local_message_id,omitempty"`
}

// whole is the event for one receiver.
type whole struct {
	wire
	personal
}

// Schemas describes the types that encode themselves.
func Schemas() []kit.Schema {
	return []kit.Schema{kit.SchemaOf[names]("Flags", "The flags of the receiver on the message.", []string{})}
}

// names is a list of names, separated by spaces.
type names string

// MarshalJSON encodes the list as an array.
func (n names) MarshalJSON() ([]byte, error) { return json.Marshal(strings.Fields(string(n))) }

// Service builds and delivers the event message.
type Service struct {
	store    *store.Store
	audience *audience.Service
	renderer ports.Renderer
	modules  *kit.Collected
	log      *slog.Logger
	event    kit.EventType[Arrival]
}

// New returns the service.
func New(
	st *store.Store, a *audience.Service, r ports.Renderer, modules *kit.Collected, log *slog.Logger,
) *Service {
	s := &Service{store: st, audience: a, renderer: r, modules: modules, log: log}
	s.event = kit.Event[Arrival](message.EventNew, "").Late(s.load).Shape(s.shape).Personal(s.personal).
		PerReceiver(s.hiddenSenderForm).BeyondAudience().Sends(whole{})
	return s
}

// Event returns the event type message.
func (s *Service) Event() kit.AnyEvent { return s.event.Any() }

// Of returns the event for the audience.
func (s *Service) Of(to event.Audience, a Arrival) event.Event {
	return s.event.To(a.Realm, to, a).About(int64(a.ID))
}

// load reads the messages of a page of events, and who has those that have been moved between channels. It omits
// deleted messages.
func (s *Service) load(ctx context.Context, now *directory.View, page []*Arrival) error {
	if len(page) == 0 {
		return nil
	}
	ids, to := make([]message.ID, len(page)), make([]message.Recipient, len(page))
	for i, a := range page {
		ids[i], to[i] = a.ID, a.Recipient
	}
	found, err := s.store.ByID(ctx, page[0].Realm, ids)
	if err != nil {
		return err
	}
	if err := s.loadWidgets(ctx, page, found); err != nil {
		return err
	}
	members, err := s.store.Conversations.Members(ctx, to)
	if err != nil {
		return err
	}
	has, err := s.audience.HoldersOfMoved(ctx, now, found)
	if err != nil {
		return err
	}
	for _, a := range page {
		i, ok := slices.BinarySearchFunc(found, a.ID, func(m message.Message, id message.ID) int { return int(m.ID - id) })
		if ok {
			a.loaded, a.holders, a.members, a.now = &found[i], has[a.ID], members[a.Recipient], now
		}
	}
	return nil
}

// loadWidgets loads the first submessage of messages that were sent as widgets. Later submessages have their own
// events.
func (s *Service) loadWidgets(ctx context.Context, page []*Arrival, found []message.Message) error {
	sent := map[message.ID]bool{}
	var ids []message.ID
	for _, a := range page {
		if a.Facts&message.HasWidget != 0 {
			sent[a.ID] = true
			ids = append(ids, a.ID)
		}
	}
	first, err := s.store.Submessages.First(ctx, ids)
	for i := range found {
		if one, ok := first[found[i].ID]; ok && sent[found[i].ID] {
			found[i].Submessages = []message.Submessage{one}
		}
	}
	return err
}

// shape renders the message with the current view, so that it does not contain an address hidden in the meantime.
func (s *Service) shape(_ context.Context, _ *directory.View, c event.Client, a *Arrival) (any, bool) {
	if a.loaded == nil {
		return nil, false
	}
	return wire{render.Message(a.now, a.loaded, a.members, render.ForClient(c, s.renderer))}, true
}

// hiddenSenderForm returns the event for guests who cannot currently see the sender. Other receivers share forms.
func (s *Service) hiddenSenderForm(r event.Receiver, a *Arrival) ([]any, bool) {
	if a.loaded == nil || !a.senderHidden(r) {
		return nil, false
	}
	p, ok := s.receive(r, a)
	if !ok {
		return []any{nil}, true
	}
	o := render.ForClient(r.Queue.Client, s.renderer)
	o.Reader = r.User
	return []any{whole{wire{render.Message(r.Head, a.loaded, a.members, o)}, p}}, true
}

// senderHidden reports whether the receiver cannot see the sender. It must be fast, since it is called for each
// receiver.
func (a *Arrival) senderHidden(r event.Receiver) bool {
	return r.User.IsGuest() && permission.Restricts(r.Head) && !permission.Sees(r.Head, r.User, a.Sender)
}

func (s *Service) personal(r event.Receiver, a *Arrival) (any, bool) { return s.receive(r, a) }

// receive returns the personal part and reports whether the queue receives the message.
func (s *Service) receive(r event.Receiver, a *Arrival) (personal, bool) {
	if _, isChannel := a.Recipient.Channel(); isChannel && r.User.BotType.Service() {
		r.Addressed = false // service bots receive only messages that mention them
	}
	if a.loaded == nil || !a.readable(r) {
		return personal{}, false
	}
	flags := []string{}
	if r.Addressed {
		flags = a.flags(r)
	} else if !a.receivesUnaddressed(r) {
		return personal{}, false
	}
	if !narrow.Matches(r.View, r.Queue.Narrow, narrow.Arrived{
		Recipient: a.Recipient, Topic: a.loaded.Topic, Sender: a.Sender, Stranger: a.senderHidden(r), Flags: flags,
	}) || !s.selects(r.Queue.Narrow, a.loaded) {
		return personal{}, false
	}
	p := personal{Flags: names(strings.Join(flags, " "))}
	if a.Queue != "" && a.Queue == r.Queue.ID {
		p.Local = a.Local
	}
	return p, true
}

// selects reports whether the terms of a queue with operators of modules select a message. A message that a module
// fails to examine is not selected.
func (s *Service) selects(terms []narrow.Term, m *message.Message) bool {
	if len(s.modules.Operators) == 0 {
		return true
	}
	for _, t := range terms {
		o, ok := s.modules.Operators[t.Operator]
		if !ok || !o.ByMessage() {
			continue
		}
		match, err := o.Match(t)
		selected := false
		if err == nil {
			selected, err = match(m)
		}
		if err != nil {
			s.log.Error("an operator of a module failed for a queue", "operator", t.Operator, "error", err)
		}
		if !selected {
			return false
		}
	}
	return true
}

// readable reports whether the receiver can read the message in its current conversation. Users addressed by the event
// have received it and can read it while it stays in the channel. If it was moved to another channel with protected
// history, only users who have it can read it.
func (a *Arrival) readable(r event.Receiver) bool {
	if _, isChannel := a.loaded.Recipient.Channel(); !isChannel {
		return a.members.Has(r.User.ID)
	}
	switch message.AccessTo(r.Head, a.loaded.Recipient, r.Head.User(r.User.ID)) {
	case message.AllAccess:
		return true
	case message.OwnAccess:
		return r.Addressed && (a.holders == nil || a.holders.Has(r.User.ID))
	}
	return a.ByMention.Has(r.User.ID) && a.loaded.Recipient == a.Recipient &&
		permission.OwnerReads(r.Head, message.ChannelOf(r.Head, a.Recipient), r.Head.User(r.User.ID))
}

// receivesUnaddressed reports whether a queue receives the message although it is not addressed to the user: it
// receives messages in public channels if it has a narrow or requested all public channels, and messages in a channel
// that it follows, unless the user is a guest.
func (a *Arrival) receivesUnaddressed(r event.Receiver) bool {
	if !r.Queue.AllPublic && len(r.Queue.Narrow) == 0 || r.User.IsGuest() {
		return false
	}
	id, isChannel := a.Recipient.Channel()
	c := r.View.Channel(id)
	return isChannel && c != nil && (!c.Private || r.Follows(a.Recipient))
}

func (a *Arrival) flags(r event.Receiver) []string {
	u := r.User.ID
	var f message.Flag
	if slices.Contains(a.Users, u) ||
		slices.ContainsFunc(a.Groups, func(g group.ID) bool { return permission.Member(r.View, g, u) }) {
		f |= message.Mentioned
	}
	if a.Participants.Has(u) {
		f |= message.TopicWildcard
	}
	if a.Alerted.Has(u) {
		f |= message.AlertWord
	}
	read := a.ReadFor == u || r.View.Muted(u).Has(a.Sender) || a.Notice && readstate.Quiet(r.View.User(u))
	return message.FlagNames(f, a.Facts, read && !a.UnreadNotice.Has(u), false)
}
