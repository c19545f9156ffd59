package engine

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/emoji"
	"github.com/stoachat/stoa/domain/idset"
	"github.com/stoachat/stoa/domain/importing"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/topic"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/imports/internal/store"
)

// Limits of a batch of messages.
const (
	perBatch   = 1000
	batchBytes = 4 << 20
)

// Reasons that dry runs give, too.
const (
	noEmoji = "its emoji does not exist here: "
	twice   = "is in the archive twice"
)

// batch is a batch of messages that is being filled.
type batch struct {
	*task
	view  *directory.View
	all   []*importing.Message
	keys  map[importing.Key]bool
	bytes int
}

// writeMessages writes the messages that are not known, in order of their times.
func (t *task) writeMessages(ctx context.Context) error {
	v, err := t.Directory.Verified(ctx, t.realm)
	if err != nil {
		return err
	}
	b := &batch{task: t, view: v, keys: map[importing.Key]bool{}}
	if err := t.messages.each(func(m *importing.Message) error { return b.add(ctx, m) }); err != nil {
		return err
	}
	return b.write(ctx)
}

// add adds a message. A batch ends before a message that refers to another one of the batch, whose ID is not known yet.
func (b *batch) add(ctx context.Context, m *importing.Message) error {
	full := len(b.all) >= perBatch || b.bytes >= batchBytes
	for _, r := range importing.References(m.Content) {
		full = full || r.Kind == importing.RefMessage && b.keys[r.Key]
	}
	if full {
		if err := b.write(ctx); err != nil {
			return err
		}
		if err := b.progress(ctx, "messages"); err != nil {
			return err
		}
	}
	if b.keys[m.Key] {
		b.leaveOut(m, importing.Skipped, twice)
		return nil
	}
	b.all, b.keys[m.Key], b.bytes = append(b.all, m), true, b.bytes+len(m.Content)
	return ctx.Err()
}

// write writes the batch, and begins a new one.
func (b *batch) write(ctx context.Context) error {
	all := b.all
	b.meter.add(int64(len(all)), int64(b.bytes))
	b.all, b.bytes = nil, 0
	b.written += int64(len(all))
	clear(b.keys)
	if len(all) == 0 {
		return nil
	}
	keys := make([]importing.Key, 0, len(all))
	linked, files := []importing.Key{}, []importing.Key{}
	for _, m := range all {
		keys = append(keys, m.Key)
		for _, text := range texts(m) {
			for _, r := range importing.References(text) {
				switch r.Kind {
				case importing.RefMessage:
					linked = append(linked, r.Key)
				case importing.RefFile:
					files = append(files, r.Key)
				}
			}
		}
	}
	known, err := b.Store.Known(ctx, b.realm, messagesTable, keys)
	if err != nil {
		return err
	}
	all = slices.DeleteFunc(all, func(m *importing.Message) bool { _, ok := known[m.Key]; return ok })
	if len(all) == 0 {
		return nil
	}
	r := &resolver{task: b.task, view: b.view}
	if r.messages, err = b.Store.Known(ctx, b.realm, messagesTable, linked); err != nil {
		return err
	}
	if r.files, err = b.Store.Known(ctx, b.realm, filesKind, files); err != nil {
		return err
	}
	var written []*importing.Written
	all = slices.DeleteFunc(all, func(m *importing.Message) bool {
		out := r.message(m)
		if out.Sender == 0 || out.Channel == 0 && (m.Channel != "" || len(out.Members) == 0) {
			b.leaveOut(m, importing.Refused, "its sender or its channel was refused")
			return true
		}
		written = append(written, out)
		return false
	})
	if len(all) == 0 {
		return nil
	}
	if err := b.Messages.Write(ctx, b.realm, written, func(ctx context.Context) error {
		rows := make([]store.Key, 0, len(all))
		for i, m := range all {
			if written[i].Refused != nil {
				continue
			}
			path := strconv.FormatInt(int64(written[i].Channel), 10) + "/" + written[i].Topic
			if written[i].Channel == 0 {
				path = directPath(written[i].Members)
			}
			rows = append(rows, store.Key{
				Realm: b.realm, Kind: messagesTable, Key: m.Key, ID: int64(written[i].ID), Path: path,
			})
		}
		return b.Store.Add(ctx, rows...)
	}); err != nil {
		return err
	}
	b.countRevised(all, written)
	return nil
}

func texts(m *importing.Message) []string {
	out := []string{m.Content}
	for _, e := range m.Edits {
		if e.PrevContent != nil {
			out = append(out, *e.PrevContent)
		}
	}
	return out
}

// directPath returns the path of a direct conversation in the client.
func directPath(us user.Set) string {
	parts := make([]string, len(us))
	for i, u := range us {
		parts[i] = strconv.FormatInt(int64(u), 10)
	}
	return "dm/" + strings.Join(parts, ",")
}

// resolver translates messages.
type resolver struct {
	*task
	view     *directory.View
	messages map[importing.Key]store.Key
	files    map[importing.Key]store.Key
}

func (r *resolver) user(k importing.Key) user.ID { id, _ := r.id(usersTable, k); return user.ID(id) }

func (r *resolver) users(all []importing.Key) user.Set {
	out := make([]user.ID, 0, len(all))
	for _, k := range all {
		if u := r.user(k); u != 0 {
			out = append(out, u)
		}
	}
	return idset.Of(out...)
}

func (r *resolver) channel(k importing.Key) channel.ID {
	id, _ := r.id(channelsTable, k)
	return channel.ID(id)
}

// message translates a message.
func (r *resolver) message(m *importing.Message) *importing.Written {
	out := &importing.Written{
		Channel: r.channel(m.Channel), Sender: r.user(m.Sender), Client: m.Client, Sent: m.Sent, Edited: m.Edited,
		Moved: m.Moved, Content: importing.Expand(m.Content, r.reference), Starred: r.users(m.Starred),
		Unread: r.users(m.Unread), Receivers: r.receivers(m.Channel, m.Sent),
	}
	if out.Client == "" {
		out.Client = "import"
	}
	if m.Channel == "" {
		out.Members = r.users(append(m.People, m.Sender))
	} else {
		out.Topic = cleanTopic(m.Topic)
	}
	for _, e := range m.Edits {
		edit := message.Edit{User: r.user(e.By), At: e.At, PrevTopic: e.PrevTopic, Topic: e.Topic}
		if e.PrevContent != nil {
			text := importing.Expand(importing.CleanTextKeepingReferences(*e.PrevContent), r.reference)
			edit.PrevContent = &text
		}
		from, to := r.channel(e.PrevChannel), r.channel(e.Channel)
		if from != 0 && to != 0 {
			edit.From, edit.To = message.OfChannel(from), message.OfChannel(to)
			c := r.view.Channel(to)
			edit.ToProtected = c != nil && !c.HistoryPublic
		}
		out.Edits = append(out.Edits, edit)
	}
	for _, e := range m.Reactions {
		if x, ok := r.reaction(e); ok {
			r.report.Count(importing.Reactions, importing.Imported, "", "")
			out.Reactions = append(out.Reactions, x)
		} else {
			r.report.Count(importing.Reactions, importing.Skipped, noEmoji+e.Name, string(m.Key))
		}
	}
	for _, w := range m.Widgets {
		if u := r.user(w.By); u != 0 {
			out.Widgets = append(out.Widgets, message.Submessage{Sender: u, Type: w.Type, Content: w.Content})
		}
	}
	return out
}

// cleanTopic returns a valid name of a topic.
func cleanTopic(name string) string {
	if clean, err := topic.Clean(name); err == nil {
		return clean
	}
	return importing.TopicName(name)
}

// reaction translates a reaction, or returns false if its emoji does not exist here.
func (r *resolver) reaction(e importing.Emote) (message.Reaction, bool) {
	x := message.Reaction{User: r.user(e.By), Name: e.Name, Code: e.Code, Type: message.UnicodeEmoji}
	if x.User == 0 {
		return x, false
	}
	if e.Custom != "" {
		if id, ok := r.id("custom_emoji", e.Custom); ok {
			if custom := emoji.In(r.view).Get(emoji.ID(id)); custom != nil {
				x.Type, x.Code, x.Name = message.RealmEmoji, strconv.FormatInt(id, 10), custom.Name
				return x, true
			}
		}
		x.Code = ""
	}
	return r.unicode(x)
}

// unicode completes a reaction with an emoji that all organizations have, or returns false.
func (t *task) unicode(x message.Reaction) (message.Reaction, bool) {
	if x.Name == emoji.Extra {
		x.Type, x.Code = message.ExtraEmoji, emoji.Extra
		return x, true
	}
	code, ok := t.Emoji.Code(x.Name)
	if !ok && x.Code != "" {
		x.Name, ok = t.Emoji.Name(x.Code)
		code = x.Code
	}
	x.Code = code
	return x, ok
}

// reference returns the text that stands here for what a reference means.
func (r *resolver) reference(ref importing.Ref) string {
	switch ref.Kind {
	case importing.RefPerson, importing.RefSilent:
		if u := r.view.User(r.user(r.person(ref.Key))); u != nil {
			at := "@"
			if ref.Kind == importing.RefSilent {
				at = "@_"
			}
			return fmt.Sprintf("%s**%s|%d**", at, u.FullName, u.ID)
		}
	case importing.RefChannel, importing.RefTopic:
		if c := r.view.Channel(r.channel(ref.Key)); c != nil {
			if ref.Kind == importing.RefTopic {
				return fmt.Sprintf("#**%s>%s**", c.Name, ref.Detail)
			}
			return fmt.Sprintf("#**%s**", c.Name)
		}
	case importing.RefMessage:
		if at, ok := r.messages[ref.Key]; ok {
			return r.link(at)
		}
	case importing.RefFile:
		if at, ok := r.files[ref.Key]; ok {
			return "/user_uploads/" + at.Path
		}
	case importing.RefGroup:
		if id, ok := r.id(groupsTable, ref.Key); ok {
			for g := range r.view.Groups() {
				if int64(g.ID) == id {
					return "@*" + g.Name + "*"
				}
			}
		}
	case importing.RefEmoji:
		if id, ok := r.id("custom_emoji", ref.Key); ok {
			if custom := emoji.In(r.view).Get(emoji.ID(id)); custom != nil {
				return ":" + custom.Name + ":"
			}
		}
	}
	return ref.Fallback
}

// link returns a link to a message.
func (r *resolver) link(at store.Key) string {
	if strings.HasPrefix(at.Path, "dm/") {
		return fmt.Sprintf("/#narrow/%s-dm/near/%d", at.Path, at.ID)
	}
	in, name, _ := strings.Cut(at.Path, "/")
	id, _ := strconv.ParseInt(in, 10, 64)
	c := r.view.Channel(channel.ID(id))
	if c == nil {
		return ""
	}
	return fmt.Sprintf("#**%s>%s@%d**", c.Name, name, at.ID)
}

// writeStates writes the states of messages that this run has imported.
func (t *task) writeStates(ctx context.Context) error {
	var some []*importing.State
	if err := t.states.each(func(s *importing.State) error {
		one := *s
		if some = append(some, &one); len(some) < perBatch {
			return nil
		}
		err := t.mark(ctx, some)
		some = nil
		return err
	}); err != nil {
		return err
	}
	return t.mark(ctx, some)
}

func (t *task) mark(ctx context.Context, all []*importing.State) error {
	if len(all) == 0 {
		return ctx.Err()
	}
	keys := make([]importing.Key, len(all))
	for i, s := range all {
		keys[i] = s.Message
	}
	slices.Sort(keys)
	known, err := t.Store.Known(ctx, t.realm, messagesTable, slices.Compact(keys))
	if err != nil {
		return err
	}
	var marked []importing.Marked
	for _, s := range all {
		at, ok := known[s.Message]
		u, isKnown := t.id(usersTable, s.Person)
		if !ok || !isKnown || at.ID <= t.run.AfterMessage {
			continue
		}
		m := importing.Marked{User: user.ID(u), Message: message.ID(at.ID), Unread: s.Unread}
		if s.Starred {
			m.Flags |= message.Starred
		}
		if s.Collapsed {
			m.Flags |= message.Collapsed
		}
		marked = append(marked, m)
	}
	t.meter.add(int64(len(all)), 0)
	return t.Work.Do(ctx, func(ctx context.Context) error { return t.Messages.Mark(ctx, t.realm, marked) })
}
