// Package updates notifies clients of changed messages: of new content, of moves and of new renderings.
package updates

import (
	"context"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/idset"
	"github.com/stoachat/stoa/domain/markdown"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/topic"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/messages/internal/readstate"
	"github.com/stoachat/stoa/modules/messages/internal/store"
	"github.com/stoachat/stoa/ports"
)

// Service builds and delivers the event update_message.
type Service struct {
	store    *store.Store
	states   *readstate.Service
	renderer ports.Renderer
	event    kit.EventType[Update]
}

// New returns the service.
func New(st *store.Store, states *readstate.Service, r ports.Renderer) *Service {
	s := &Service{store: st, states: states, renderer: r}
	s.event = kit.Event[Update](message.EventUpdate, "").Late(s.load).Shape(s.shape).Personal(receive).
		PerReceiver(s.restrictedForm).ForFollowers().Sends(whole{})
	return s
}

// Event returns the event type update_message.
func (s *Service) Event() kit.AnyEvent { return s.event.Any() }

// Update is the logged payload of update_message. It contains the place of the messages but no content.
type Update struct {
	ID      message.ID               `json:"id"`
	IDs     idset.Packed[message.ID] `json:"ids"`
	By      user.ID                  `json:"by"`
	At      int64                    `json:"at"` // Unix seconds
	Seq     int64                    `json:"seq"`
	From    message.Recipient        `json:"from"` // before the change
	Name    string                   `json:"name,omitempty"`
	Content bool                     `json:"content,omitempty"` // the content was edited
	Mode    string                   `json:"mode,omitempty"`    // of a move
	Old     string                   `json:"old,omitempty"`     // topic
	New     *string                  `json:"new,omitempty"`     // topic; nil: unchanged
	To      message.Recipient        `json:"to,omitempty"`      // 0: unchanged
	// in a move between channels: the receivers had access to the messages before
	HadAccess bool `json:"had,omitempty"`

	Rendering bool  `json:"rendering,omitempty"` // only the rendering changed
	Edited    int64 `json:"edited,omitempty"`    // if Rendering: time of the last edit of the content, in microseconds

	current *message.Message // nil: deleted
	edit    *message.Edit    // the edit of the content
	states  *readstate.UserStates
}

// wire is update_message as sent to clients.
type wire struct {
	User          *user.ID              `json:"user_id"`
	RenderingOnly bool                  `json:"rendering_only"`
	ID            message.ID            `json:"message_id"`
	IDs           []message.ID          `json:"message_ids"`
	Timestamp     int64                 `json:"edit_timestamp"`
	StreamID      channel.ID            `json:"stream_id,omitempty"`
	NewStreamID   channel.ID            `json:"new_stream_id,omitempty"`
	Mode          string                `json:"propagate_mode,omitempty"`
	OrigSubject   *string               `json:"orig_subject,omitempty"`
	Subject       *string               `json:"subject,omitempty"`
	TopicLinks    *[]markdown.TopicLink `json:"topic_links,omitempty"`
	OrigContent   *string               `json:"orig_content,omitempty"`
	OrigRendered  *string               `json:"orig_rendered_content,omitempty"`
	Content       *string               `json:"content,omitempty"`
	Rendered      *string               `json:"rendered_content,omitempty"`
	IsMe          *bool                 `json:"is_me_message,omitempty"`
}

type personal struct {
	Flags      []string `json:"flags"`
	StreamName *string  `json:"stream_name,omitempty"` // former channel, for users who can see it
}

// whole is the event for one receiver.
type whole struct {
	wire
	personal
}

// Of returns the event for the audience. first is the lowest ID of all messages of the change.
func (s *Service) Of(r realm.ID, to event.Audience, u Update, first message.ID) event.Event {
	return s.event.To(r, to, u).About(int64(first))
}

// load reads the messages, edits and users' flags for a page of events.
func (s *Service) load(ctx context.Context, now *directory.View, page []*Update) error {
	var ids, edited []message.ID
	var seqs []int64
	for _, u := range page {
		ids = append(ids, u.ID)
		if u.Content {
			edited, seqs = append(edited, u.ID), append(seqs, u.Seq)
		}
	}
	ms, err := s.store.ByID(ctx, now.Realm().ID, ids)
	if err != nil {
		return err
	}
	edits, err := s.store.Edits.Of(ctx, edited, seqs...)
	if err != nil {
		return err
	}
	states, err := s.states.ForAllUsers(ctx, now, ms...)
	if err != nil {
		return err
	}
	found := make(map[message.ID]*message.Message, len(ms))
	for i := range ms {
		found[ms[i].ID] = &ms[i]
	}
	for _, u := range page {
		u.current, u.states = found[u.ID], states[u.ID]
		for i, e := range edits[u.ID] {
			if e.Seq == u.Seq && e.PrevContent != nil {
				u.edit = &edits[u.ID][i]
			}
		}
	}
	return nil
}

// hasContent reports whether the event contains message content.
func (u *Update) hasContent() bool { return u.current != nil && (u.edit != nil || u.Rendering) }

func (s *Service) shape(_ context.Context, v *directory.View, c event.Client, u *Update) (any, bool) {
	if u.Rendering {
		return u.renderingForm()
	}
	w := s.withoutContent(v, c, u)
	if u.hasContent() {
		me := u.current.Facts&message.IsMe != 0
		w.OrigContent, w.OrigRendered, w.Content, w.Rendered, w.IsMe = u.edit.PrevContent, u.edit.PrevRendered,
			&u.current.Content, &u.current.Rendered, &me
	}
	return w, u.Mode != "" || u.hasContent()
}

// withoutContent returns the event without content.
func (s *Service) withoutContent(v *directory.View, c event.Client, u *Update) wire {
	w := wire{User: &u.By, ID: u.ID, IDs: u.IDs, Timestamp: u.At}
	if id, isChannel := u.From.Channel(); isChannel {
		w.StreamID = id
	}
	if u.Mode != "" {
		old := topic.Show(u.Old, c.EmptyTopicName)
		w.Mode, w.OrigSubject = u.Mode, &old
		w.NewStreamID, _ = u.To.Channel()
		if u.New != nil {
			name, links := topic.Show(*u.New, c.EmptyTopicName), s.renderer.TopicLinks(v, *u.New)
			w.Subject, w.TopicLinks = &name, &links
		}
	}
	return w
}

// receive returns the personal fields and reports whether the receiver can read the edited message, and is addressed or
// follows the channel in which the message was or is. Of the two events of a move between channels, followers receive
// the one for users who had access.
func receive(r event.Receiver, u *Update) (any, bool) {
	follows := func() bool {
		return (u.To == 0 || u.HadAccess) && (r.Follows(u.From) || r.Follows(u.recipient()))
	}
	return u.personal(r), u.readable(r) && (r.Addressed || follows())
}

// restrictedForm returns the event without content for users who cannot read the edited message but must be notified of
// the move; otherwise their clients would keep showing the messages in the old channel. It omits the new topic if the
// user cannot read the new channel either.
func (s *Service) restrictedForm(r event.Receiver, u *Update) ([]any, bool) {
	if u.Mode == "" || u.readable(r) {
		return nil, false
	}
	readsTarget := u.mayRead(r, u.recipient())
	if readsTarget && !u.notifiesTarget() || !readsTarget && !u.HadAccess {
		return nil, false
	}
	w := s.withoutContent(r.View, r.Queue.Client, u)
	if !readsTarget {
		w.Subject, w.TopicLinks = nil, nil
		if !u.mayRead(r, u.From) {
			w.OrigSubject = new(string)
		}
	}
	return []any{whole{w, u.personal(r)}}, true
}

func (u *Update) personal(r event.Receiver) personal {
	// For users who have not received the message. Other endpoints add the flag historical for them.
	p := personal{Flags: []string{"read"}}
	if u.states != nil && u.states.Has(r.User.ID) {
		p.Flags = u.states.Flags(r.User.ID)
	}
	_, isChannel := u.From.Channel()
	if isChannel && !u.Rendering &&
		permission.SeesChannel(r.Head, message.ChannelOf(r.Head, u.From), r.Head.User(r.User.ID)) {
		p.StreamName = &u.Name
	}
	return p
}

// recipient returns the conversation of the messages after the change.
func (u *Update) recipient() message.Recipient {
	if u.To != 0 {
		return u.To
	}
	return u.From
}

// readable reports whether the receiver can read the edited message in its current conversation or, if it has been
// deleted, in the conversation that the change moved it to.
func (u *Update) readable(r event.Receiver) bool {
	where := u.recipient()
	if u.current != nil {
		where = u.current.Recipient
	}
	if _, isChannel := where.Channel(); !isChannel {
		return u.states != nil && u.states.Has(r.User.ID)
	}
	switch message.AccessTo(r.Head, where, r.Head.User(r.User.ID)) {
	case message.AllAccess:
		return true
	case message.OwnAccess:
		return !u.hasContent() || u.states.Has(r.User.ID)
	}
	return false
}

// notifiesTarget reports whether users who can read the target channel are notified although the edited message has
// been moved again since. The other messages may still be there.
func (u *Update) notifiesTarget() bool { return len(u.IDs) > 1 || u.To == 0 || u.HadAccess }

// mayRead reports whether the receiver can currently read at least some messages of a conversation.
func (u *Update) mayRead(r event.Receiver, in message.Recipient) bool {
	return message.AccessTo(r.Head, in, r.Head.User(r.User.ID)) != message.NoAccess
}
