package stoa

import (
	"context"
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/stoachat/stoa/domain/idset"
	"github.com/stoachat/stoa/domain/importing"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/user"
)

// line is a message in an export.
type line struct {
	ID        json.Number `json:"id"`
	Channel   json.Number `json:"channel_id"`
	People    user.Set    `json:"user_ids"`
	Topic     string      `json:"topic"`
	Sender    json.Number `json:"sender_id"`
	Client    string      `json:"client"`
	Sent      time.Time   `json:"sent_at"`
	Content   string      `json:"content"`
	Rendered  string      `json:"rendered"`
	Edited    time.Time   `json:"edited_at"`
	Moved     time.Time   `json:"moved_at"`
	Edits     []edit      `json:"edits"`
	Reactions []reaction  `json:"reactions"`
	Widgets   []widget    `json:"submessages"`
}

type edit struct {
	User        json.Number `json:"user_id"`
	At          time.Time   `json:"at"`
	PrevContent *string     `json:"prev_content"`
	Rendered    string      `json:"prev_rendered"`
	PrevTopic   *string     `json:"prev_topic"`
	Topic       *string     `json:"topic"`
	PrevChannel json.Number `json:"prev_channel_id"`
	Channel     json.Number `json:"channel_id"`
}

type reaction struct {
	Name string      `json:"emoji_name"`
	Code string      `json:"emoji_code"`
	Type string      `json:"reaction_type"`
	User json.Number `json:"user_id"`
}

type widget struct {
	Sender  json.Number `json:"sender_id"`
	Type    string      `json:"msg_type"`
	Content string      `json:"content"`
}

func key(n json.Number) importing.Key {
	if n == "0" {
		return ""
	}
	return importing.Key(n)
}

func number[T ~int64](id T) importing.Key { return importing.Key(strconv.FormatInt(int64(id), 10)) }

// Messages implements importing.Source.
func (s *source) Messages(ctx context.Context, to importing.Sink) error {
	err := s.lines(ctx, "messages", func(where string, text []byte) error {
		var m line
		if err := importing.Decode(text, &m); err != nil {
			s.Report.Count(importing.Messages, importing.Refused, "not a line of a message", where)
			return nil //nolint:nilerr // it is counted
		}
		return to.Message(s.message(&m))
	})
	if err != nil {
		return err
	}
	if err := s.flags(ctx, to); err != nil {
		return err
	}
	return s.unread(ctx, to)
}

// message converts a message. IDs increase with time, so they order messages of equal times.
func (s *source) message(m *line) *importing.Message {
	id, _ := m.ID.Int64()
	out := &importing.Message{
		Key: key(m.ID), Channel: key(m.Channel), Topic: m.Topic, Sender: key(m.Sender), Client: m.Client, Sent: m.Sent,
		Sequence: id, Content: references(m.Content, m.Rendered), Edited: m.Edited, Moved: m.Moved,
	}
	for _, p := range m.People {
		out.People = append(out.People, number(p))
	}
	for _, e := range m.Edits {
		one := importing.Edit{
			By: key(e.User), At: e.At, PrevTopic: e.PrevTopic, Topic: e.Topic, PrevChannel: key(e.PrevChannel),
			Channel: key(e.Channel),
		}
		if e.PrevContent != nil {
			before := references(*e.PrevContent, e.Rendered)
			one.PrevContent = &before
		}
		out.Edits = append(out.Edits, one)
	}
	for _, r := range m.Reactions {
		one := importing.Emote{By: key(r.User), Name: r.Name, Code: r.Code}
		if r.Type == "realm_emoji" {
			one.Custom, one.Code = importing.Key(r.Code), ""
		}
		out.Reactions = append(out.Reactions, one)
	}
	for _, w := range m.Widgets {
		out.Widgets = append(out.Widgets, importing.Widget{By: key(w.Sender), Type: w.Type, Content: w.Content})
	}
	return out
}

// What texts contain that has another name or ID here: mentions with an ID, links to messages and files.
var (
	mention = regexp.MustCompile(`@(_?)\*\*([^*|\n]+)\|(\d+)\*\*`)
	link    = regexp.MustCompile(`#\*\*[^*\n]+>[^*\n]*@(\d+)\*\*`)
	near    = regexp.MustCompile(`/#narrow/[^\s)\]]+/(?:near|with)/(\d+)`)
	upload  = regexp.MustCompile(`/user_uploads/(\d+/[^\s)\]"'<>]+)`)
)

// references replaces what has another name or ID here by references. What looks like a mention is one only if it was
// rendered as one.
func references(text, rendered string) string {
	text = importing.CleanText(text)
	replace := func(re *regexp.Regexp, with func(match string, groups []string) string) {
		text = re.ReplaceAllStringFunc(text, func(m string) string { return with(m, re.FindStringSubmatch(m)) })
	}
	replace(mention, func(m string, g []string) string {
		if !strings.Contains(rendered, `data-user-id="`+g[3]+`"`) {
			return m
		}
		if g[1] != "" {
			return importing.SilentMention(importing.Key(g[3]), m)
		}
		return importing.Mention(importing.Key(g[3]), m)
	})
	replace(link, func(m string, g []string) string { return importing.MessageLink(importing.Key(g[1]), m) })
	replace(near, func(m string, g []string) string { return importing.MessageLink(importing.Key(g[1]), m) })
	replace(upload, func(m string, g []string) string { return importing.FileLink(importing.Key(g[1]), m) })
	return text
}

// flags passes on what people have starred or collapsed. Mentions follow from the texts.
func (s *source) flags(ctx context.Context, to importing.Sink) error {
	return s.lines(ctx, "message_flags", func(where string, text []byte) error {
		var f struct {
			User    json.Number `json:"user_id"`
			Message json.Number `json:"message_id"`
			Flags   []string    `json:"flags"`
		}
		if err := importing.Decode(text, &f); err != nil {
			s.Report.Count(importing.States, importing.Refused, "not a line of flags", where)
			return nil //nolint:nilerr // it is counted
		}
		x := &importing.State{
			Person: key(f.User), Message: key(f.Message), Starred: slices.Contains(f.Flags, "starred"),
			Collapsed: slices.Contains(f.Flags, "collapsed"),
		}
		if !x.Starred && !x.Collapsed {
			return nil
		}
		return to.State(x)
	})
}

// unread passes on what people have not read.
func (s *source) unread(ctx context.Context, to importing.Sink) error {
	return s.lines(ctx, "read_chunks", func(where string, text []byte) error {
		var r struct {
			User   json.Number           `json:"user_id"`
			Unread idset.Set[message.ID] `json:"unread"`
		}
		if err := importing.Decode(text, &r); err != nil {
			s.Report.Count(importing.States, importing.Refused, "not a line of unread messages", where)
			return nil //nolint:nilerr // it is counted
		}
		for _, id := range r.Unread {
			if err := to.State(&importing.State{Person: key(r.User), Message: number(id), Unread: true}); err != nil {
				return err
			}
		}
		return nil
	})
}
