package send

import (
	"context"
	"encoding/json"
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
)

// arrived is what the log keeps of a new message: what decides on flags, but no text. Groups stand for their members as
// of the event, so that no list grows with them.
type arrived struct {
	ID           message.ID        `json:"id"`
	Realm        realm.ID          `json:"realm"`
	Recipient    message.Recipient `json:"recipient"`
	Sender       user.ID           `json:"sender"`
	Facts        message.Facts     `json:"facts,omitempty"`
	ReadFor      user.ID           `json:"read_for,omitempty"`
	Users        []user.ID         `json:"users,omitempty"`        // mentioned by name
	Groups       []group.ID        `json:"groups,omitempty"`       // mentioned
	Participants user.Set          `json:"participants,omitempty"` // of the topic, when they are mentioned
	Alerted      user.Set          `json:"alerted,omitempty"`      // by a word in it
	Notice       bool              `json:"notice,omitempty"`       // a resolve notice
	UnreadNotice user.Set          `json:"heeded,omitempty"`       // users who get it unread although it is a notice
	Reached      user.Set          `json:"reached,omitempty"`      // bots that receive it though not subscribed
	Queue        string            `json:"queue,omitempty"`        // the sender's, for the echo
	Local        string            `json:"local,omitempty"`

	loaded  *message.Message  // nil: gone
	crossed *audience.Holding // who has it, after it was moved between channels; nil: it never was
	members user.Set
	now     *directory.View // when it was loaded
}

// wire is the shared form of the event, personal the receiver's own part.
type wire struct {
	Message render.Object `json:"message"`
}

// It can be compared: that is how one is found to be another's too.
type personal struct {
	Flags names  `json:"flags"`
	Local string `json:"local_message_id,omitempty"`
}

// names are a list of names, which have no spaces.
type names string

// MarshalJSON writes the list.
func (n names) MarshalJSON() ([]byte, error) { return json.Marshal(strings.Fields(string(n))) }

// eventType declares the event message.
func (s *Service) eventType() kit.EventType[arrived] {
	return kit.Event[arrived]("message", "").Late(s.load).Shape(s.shape).Personal(receive).Own(s.own).Beyond()
}

// Event is the event for the module's Parts.
func (s *Service) Event() kit.AnyEvent { return s.event.Any() }

// load reads the texts of a page of events, and who has those messages that were moved between channels since; a
// message that is gone has none.
func (s *Service) load(ctx context.Context, now *directory.View, page []*arrived) error {
	if len(page) == 0 {
		return nil
	}
	ids, to := make([]message.ID, len(page)), make([]message.Recipient, len(page))
	for i, a := range page {
		ids[i], to[i] = a.ID, a.Recipient
	}
	found, err := s.Store.ByID(ctx, page[0].Realm, ids)
	if err != nil {
		return err
	}
	if err := s.loadWidgets(ctx, page, found); err != nil {
		return err
	}
	members, err := s.Store.Members(ctx, to)
	if err != nil {
		return err
	}
	has, err := s.Audience.Crossed(ctx, now, found)
	if err != nil {
		return err
	}
	for _, a := range page {
		i, ok := slices.BinarySearchFunc(found, a.ID, func(m message.Message, id message.ID) int { return int(m.ID - id) })
		if ok {
			a.loaded, a.crossed, a.members, a.now = &found[i], has[a.ID], members[a.Recipient], now
		}
	}
	return nil
}

// loadWidgets adds the first submessage of messages that were sent as widgets. Later ones have events of their own.
func (s *Service) loadWidgets(ctx context.Context, page []*arrived, found []message.Message) error {
	sent := map[message.ID]bool{}
	var ids []message.ID
	for _, a := range page {
		if a.Facts&message.HasWidget != 0 {
			sent[a.ID] = true
			ids = append(ids, a.ID)
		}
	}
	first, err := s.Store.FirstSubmessages(ctx, ids)
	for i := range found {
		if one, ok := first[found[i].ID]; ok && sent[found[i].ID] {
			found[i].Submessages = []message.Submessage{one}
		}
	}
	return err
}

// shape tells of people what may be known now: who has hidden their address since has hidden it here too.
func (s *Service) shape(_ context.Context, _ *directory.View, c event.Client, a *arrived) (any, bool) {
	if a.loaded == nil {
		return nil, false
	}
	return wire{render.Message(a.now, a.loaded, a.members, render.For(c, s.Renderer))}, true
}

// own is for guests who may not know who the sender is, as of now: to them alone the sender is nobody, and all others
// share forms.
func (s *Service) own(r event.Receiver, a *arrived) ([]any, bool) {
	if a.loaded == nil || !a.stranger(r) {
		return nil, false
	}
	p, ok := a.hears(r)
	if !ok {
		return []any{nil}, true
	}
	o := render.For(r.Queue.Client, s.Renderer)
	o.Reader = r.User
	return []any{struct {
		wire
		personal
	}{wire{render.Message(r.Head, a.loaded, a.members, o)}, p}}, true
}

// stranger tells whether the receiver may not know who the sender is; it is asked for every receiver.
func (a *arrived) stranger(r event.Receiver) bool {
	return r.User.IsGuest() && permission.Restricts(r.Head) && !permission.Sees(r.Head, r.User, a.Sender)
}

func receive(r event.Receiver, a *arrived) (any, bool) { return a.hears(r) }

// hears decides on one queue: whether its user may read the message now, and with which flags.
func (a *arrived) hears(r event.Receiver) (personal, bool) {
	if _, isChannel := a.Recipient.Channel(); isChannel && r.User.BotType.Service() {
		r.Addressed = false // it subscribes, and does not read along
	}
	if a.loaded == nil || !a.readable(r) {
		return personal{}, false
	}
	flags := []string{}
	if r.Addressed {
		flags = a.flags(r)
	} else if !a.overheard(r) {
		return personal{}, false
	}
	if !narrow.Matches(r.View, r.Queue.Narrow, narrow.Arrived{
		Recipient: a.Recipient, Topic: a.loaded.Topic, Sender: a.Sender, Stranger: a.stranger(r), Flags: flags,
	}) {
		return personal{}, false
	}
	p := personal{Flags: names(strings.Join(flags, " "))}
	if a.Queue != "" && a.Queue == r.Queue.ID {
		p.Local = a.Local
	}
	return p, true
}

// readable tells whether the receiver may read the message where it is now. The addressed have received it, and keep it
// as long as it stays in the channel; in protected history of another, those who have it there.
func (a *arrived) readable(r event.Receiver) bool {
	if _, isChannel := a.loaded.Recipient.Channel(); !isChannel {
		return a.members.Has(r.User.ID)
	}
	switch message.AccessTo(r.Head, a.loaded.Recipient, r.Head.User(r.User.ID)) {
	case message.AllAccess:
		return true
	case message.OwnAccess:
		return r.Addressed && (a.crossed == nil || a.crossed.Has(r.User.ID))
	}
	return a.Reached.Has(r.User.ID) && a.loaded.Recipient == a.Recipient &&
		permission.OwnerReads(r.Head, message.ChannelOf(r.Head, a.Recipient), r.Head.User(r.User.ID))
}

// overheard tells whether a queue hears of messages that its user has not received: those of public channels, when it
// asked for all of them or has a narrow; never a guest's.
func (a *arrived) overheard(r event.Receiver) bool {
	if !r.Queue.AllPublic && len(r.Queue.Narrow) == 0 || r.User.IsGuest() {
		return false
	}
	id, isChannel := a.Recipient.Channel()
	c := r.View.Channel(id)
	return isChannel && c != nil && !c.Private
}

func (a *arrived) flags(r event.Receiver) []string {
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

// event makes the event of a draft that has been written.
func (s *Service) eventOf(d *draft) event.Event {
	a := arrived{
		ID: d.message.ID, Realm: d.message.Realm, Recipient: d.message.Recipient, Sender: d.message.Sender,
		Facts:   d.message.Facts,
		ReadFor: d.message.ReadFor, Users: d.rendered.Users, Groups: d.rendered.Groups,
		Participants: d.meant.TopicWildcard, Alerted: d.meant.Alerted, Notice: d.message.Notice == 1, UnreadNotice: d.meant.Unread,
		Reached: d.meant.Reached,
	}
	if d.queue != "" && d.local != "" {
		a.Queue, a.Local = d.queue, d.local
	}
	to := event.Subscribers(d.channel).And(d.meant.Reached...)
	if d.channel == 0 {
		to = event.Each(d.members...)
	}
	return s.event.To(d.message.Realm, to, a).About(int64(d.message.ID))
}
