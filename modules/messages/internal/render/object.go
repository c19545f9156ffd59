// Package render converts messages to the form used in responses and events.
package render

import (
	"cmp"
	"slices"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/markdown"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/topic"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

// Options determines the form of a message.
type Options struct {
	HTML           bool // otherwise Markdown
	ClientGravatar bool // avatar_url is null if the client can compute it
	EmptyTopic     bool // the client supports the empty topic
	ZulipNames     bool // the client supports zulip_extra_emoji rather than service_extra_emoji
	Links          func(v *directory.View, topic string) []markdown.TopicLink

	// The reader. Users that the reader cannot see are replaced by placeholders.
	Spectator bool       // the reader is not logged in; email addresses are hidden
	Reader    *user.User // nil: the form is shared by readers who can see all users in it
}

// ForClient returns the options for an event queue's client and the form shared by all readers who can see the sender.
func ForClient(c event.Client, r ports.Renderer) Options {
	return Options{
		HTML:           c.ApplyMarkdown,
		ClientGravatar: c.ClientGravatar,
		EmptyTopic:     c.EmptyTopicName,
		ZulipNames:     c.ZulipNames,
		Links:          r.TopicLinks,
	}
}

// Object is a message as sent to clients. Its parts depend on different things, and pages encode them separately.
type Object struct {
	Stored
	Author
	Place
	Heading
	Extras
}

// Stored contains what the message's row determines, in the client's format of content.
type Stored struct {
	ID          message.ID `json:"id"`
	Client      string     `json:"client"`
	Content     string     `json:"content"`
	ContentType string     `json:"content_type"`
	Timestamp   int64      `json:"timestamp"`
	IsMe        bool       `json:"is_me_message"`
	LastEdit    int64      `json:"last_edit_timestamp,omitempty"`
	LastMoved   int64      `json:"last_moved_timestamp,omitempty"`
}

// Author is the sender, as the reader may see it.
type Author struct {
	SenderID       user.ID `json:"sender_id"`
	SenderEmail    string  `json:"sender_email"`
	SenderFullName string  `json:"sender_full_name"`
	SenderRealm    string  `json:"sender_realm_str"`
	AvatarURL      *string `json:"avatar_url"`
}

// Place is the conversation.
type Place struct {
	Type             string            `json:"type" doc:"stream for messages in channels, or private."`
	StreamID         channel.ID        `json:"stream_id,omitempty"`
	Recipient        message.Recipient `json:"recipient_id"`
	DisplayRecipient Recipients        `json:"display_recipient"`
}

// Heading is the topic.
type Heading struct {
	Subject    string               `json:"subject"`
	TopicLinks []markdown.TopicLink `json:"topic_links"`
}

// Extras contains what other rows add to the message, and what concerns one reader.
type Extras struct {
	Reactions    []message.Reaction   `json:"reactions"`
	Submessages  []message.Submessage `json:"submessages"`
	EditHistory  []Edit               `json:"edit_history,omitempty"`  // newest first
	MatchContent *string              `json:"match_content,omitempty"` // only in search results
	MatchSubject *string              `json:"match_subject,omitempty"`
	Flags        *[]string            `json:"flags,omitempty"` // the reader's; in events, a key next to message
}

// Recipients is a channel's name, or []Participant.
type Recipients any

// Schemas describes messages.
func Schemas() []kit.Schema {
	return []kit.Schema{
		kit.SchemaOf[Object]("Message", "A message, as the caller sees it."),
		kit.SchemaOf[Edit]("MessageEdit", "A change of a message."),
		kit.SchemaOf[Recipients]("Recipients", "The name of the channel, or the people in the conversation.",
			"", []Participant{}),
	}
}

// Participant is a participant of a direct conversation.
type Participant struct {
	ID          user.ID `json:"id"`
	Email       string  `json:"email"`
	FullName    string  `json:"full_name"`
	MirrorDummy bool    `json:"is_mirror_dummy"`
}

// Message returns m as sent to clients. members contains the participants of a direct message.
func Message(v *directory.View, m *message.Message, members user.Set, o Options) Object {
	_, isChannel := m.Recipient.Channel()
	return Object{
		stored(m, o.HTML), o.author(v, m.Sender), o.place(v, m.Recipient, members), o.heading(v, isChannel, m.Topic),
		o.extras(v, m),
	}
}

func stored(m *message.Message, html bool) Stored {
	out := Stored{
		ID: m.ID, Client: m.Client, Content: m.Content, ContentType: "text/x-markdown",
		Timestamp: m.SentAt.Unix(), IsMe: m.Facts&message.IsMe != 0,
	}
	if html {
		out.Content, out.ContentType = m.Rendered, "text/html"
	}
	if !m.EditedAt.IsZero() {
		out.LastEdit = m.EditedAt.Unix()
	}
	if !m.MovedAt.IsZero() {
		out.LastMoved = m.MovedAt.Unix()
	}
	return out
}

func (o Options) author(v *directory.View, id user.ID) Author {
	out := Author{SenderID: id}
	if u := o.person(v, id); u != nil {
		out.SenderEmail, out.SenderFullName = permission.APIEmail(v, u), u.FullName
		out.AvatarURL = permission.AvatarURL(v, u, o.ClientGravatar)
	}
	if v.Realm() != nil {
		out.SenderRealm = v.Realm().StringID
	}
	return out
}

func (o Options) place(v *directory.View, r message.Recipient, members user.Set) Place {
	id, isChannel := r.Channel()
	if !isChannel {
		return Place{Type: "private", Recipient: r, DisplayRecipient: o.participants(v, members)}
	}
	name := ""
	if c := v.Channel(id); c != nil {
		name = c.Name
	}
	return Place{Type: "stream", Recipient: r, StreamID: id, DisplayRecipient: name}
}

func (o Options) heading(v *directory.View, isChannel bool, name string) Heading {
	out := Heading{TopicLinks: []markdown.TopicLink{}}
	if isChannel {
		if out.Subject = topic.Show(name, o.EmptyTopic); name != "" {
			out.TopicLinks = o.Links(v, name)
		}
	}
	return out
}

func (o Options) extras(v *directory.View, m *message.Message) Extras {
	out := Extras{Reactions: []message.Reaction{}, Submessages: []message.Submessage{}}
	for _, r := range m.Reactions {
		out.Reactions = append(out.Reactions, r.Shown(o.ZulipNames))
	}
	if len(m.Submessages) > 0 {
		out.Submessages = m.Submessages
	}
	if len(m.Edits) > 0 && v.Realm() != nil {
		out.EditHistory = history(v.Realm().Settings.MessageEditHistoryVisibility, m.Edits, o.EmptyTopic)
	}
	return out
}

// person returns a user's record as the reader may see it, or nil.
func (o Options) person(v *directory.View, id user.ID) *user.User {
	switch {
	case o.Spectator:
		return permission.UserOrStrangerForSpectators(v, id)
	case o.Reader != nil:
		return permission.UserOrStranger(v, o.Reader, id)
	}
	return v.User(id)
}

// participants returns the participants of a direct conversation, ordered by email address if there are two, otherwise
// by ID.
func (o Options) participants(v *directory.View, members user.Set) []Participant {
	out := make([]Participant, 0, len(members))
	for _, id := range members {
		p := Participant{ID: id}
		if u := o.person(v, id); u != nil {
			p.Email, p.FullName = permission.APIEmail(v, u), u.FullName
		}
		out = append(out, p)
	}
	if len(out) == 2 {
		slices.SortFunc(out, func(a, b Participant) int { return cmp.Compare(a.Email, b.Email) })
	}
	return out
}
