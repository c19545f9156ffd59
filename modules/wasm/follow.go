package wasm

import (
	"context"
	"time"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
)

// maxWait is how long a message waits for modules that do not keep up.
const maxWait = time.Hour

// guestMessage is a message as a guest sees it.
type guestMessage struct {
	ID      message.ID `json:"id"`
	Channel channel.ID `json:"channel_id,omitempty"` // 0: a direct message
	Name    string     `json:"channel,omitempty"`
	Topic   string     `json:"topic,omitempty"`
	Content string     `json:"content"` // Markdown
	At      int64      `json:"at"`      // seconds since 1970
	Sender  guestUser  `json:"sender"`
}

// sent queues messages for modules in the commit that sends them. Messages of bots are not queued, so that modules do
// not answer each other.
func (s *service) sent(ctx context.Context, m *message.Sent) error {
	v, err := s.Directory.View(ctx, m.Realm)
	if err != nil || len(guests.In(v)) == 0 {
		return err
	}
	var calls []queued
	for _, g := range sorted(v) {
		b := g.bot(v)
		if b == nil || g.Disabled != "" || !g.Manifest.hears() {
			continue
		}
		for i := range m.Messages {
			if one := &m.Messages[i]; concerns(v, b, one) {
				calls = append(calls, queued{RealmID: m.Realm, ModuleID: g.ID, MessageID: one.ID, DueAt: one.SentAt})
			}
		}
	}
	if len(calls) == 0 {
		return nil
	}
	s.Work.AfterCommit(ctx, s.waiting.Added)
	return s.rows.Queue(ctx, calls)
}

// concerns reports whether a bot may have received a message. The members of direct messages are looked up later.
func concerns(v *directory.View, b *user.User, m *message.Message) bool {
	by := v.User(m.Sender)
	if by == nil || by.IsBot() || by.System {
		return false
	}
	c, isChannel := m.Recipient.Channel()
	return !isChannel || v.Subscribed(b.ID, c)
}

// deliver is the job that passes messages to modules, each at most once.
func (s *service) deliver(ctx context.Context) error {
	for ctx.Err() == nil {
		q, err := kit.Tx(ctx, s.Work, s.rows.Take)
		if err != nil || q == nil {
			return err
		}
		if err := s.pass(ctx, q); err != nil {
			s.Logger.WarnContext(ctx, "message not passed to a module", "module_id", q.ModuleID, "error", err)
		}
	}
	return ctx.Err()
}

func (s *service) pass(ctx context.Context, q *queued) error {
	v, err := s.Directory.View(ctx, q.RealmID)
	if err != nil {
		return err
	}
	g := byID(v, q.ModuleID)
	if g == nil || g.Disabled != "" || !g.Manifest.hears() || s.Clock.Now().Sub(q.DueAt) > maxWait {
		return nil
	}
	b := g.bot(v)
	if b == nil {
		return nil
	}
	as, _ := v.Actor(b.ID)
	found, err := s.Messages.Visible(ctx, as, q.MessageID)
	if err != nil || len(found) == 0 {
		return err
	}
	m := found[0]
	by := v.User(m.Sender)
	if by == nil {
		return nil
	}
	if err := s.prepare(ctx, g.ID, g.Hash); err != nil {
		return err
	}
	one := &guestMessage{ID: m.ID, Topic: m.Topic, Content: m.Content, At: m.SentAt.Unix(), Sender: seen(by)}
	if c, isChannel := m.Recipient.Channel(); isChannel {
		one.Channel, one.Name = c, v.Channel(c).Name
	}
	_, err = s.call(ctx, q.RealmID, g, request{Kind: "message", Message: one})
	return err
}

func byID(v *directory.View, id int64) *guest {
	for _, g := range guests.In(v) {
		if g.ID == id {
			return g
		}
	}
	return nil
}

// runDue is the job that runs the jobs of modules.
func (s *service) runDue(ctx context.Context) error {
	for ctx.Err() == nil {
		r, err := s.rows.Due(ctx, s.Clock.Now())
		if err != nil || r == nil {
			return err
		}
		v, err := s.Directory.View(ctx, r.RealmID)
		if err != nil {
			return err
		}
		g := byID(v, r.ID)
		err = s.Work.Do(ctx, func(ctx context.Context) error {
			if g == nil || g.Disabled != "" || g.Manifest.every() == 0 {
				return s.rows.Postpone(ctx, r.ID, nil)
			}
			at := s.Clock.Now().Add(g.Manifest.every())
			return s.rows.Postpone(ctx, r.ID, &at)
		})
		if err != nil {
			return err
		}
		if g == nil || g.Disabled != "" {
			continue
		}
		if err = s.prepare(ctx, g.ID, g.Hash); err == nil {
			_, err = s.call(ctx, r.RealmID, g, request{Kind: "job"})
		}
		if err != nil {
			s.Logger.WarnContext(ctx, "job of a module failed", "module", g.Manifest.Name, "error", err)
		}
	}
	return ctx.Err()
}
