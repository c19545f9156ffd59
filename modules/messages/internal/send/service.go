package send

import (
	"context"
	"time"

	"github.com/stoachat/stoa/domain/alertword"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/idset"
	"github.com/stoachat/stoa/domain/markdown"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/readstate"
	"github.com/stoachat/stoa/domain/topic"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/messages/internal/arrivals"
	"github.com/stoachat/stoa/modules/messages/internal/conversations"
	"github.com/stoachat/stoa/modules/messages/internal/flags"
	"github.com/stoachat/stoa/modules/messages/internal/kernel"
	"github.com/stoachat/stoa/modules/messages/internal/markup"
	"github.com/stoachat/stoa/modules/messages/internal/revise"
	"github.com/stoachat/stoa/modules/messages/internal/store"
	"github.com/stoachat/stoa/ports"
)

// Needs holds the dependencies of the service.
type Needs struct {
	kernel.Ports
	Store         *store.Store
	Flags         *flags.Service
	Conversations *conversations.Service
	Markup        *markup.Service
	Arrivals      *arrivals.Service
	Followers     kit.Query[readstate.TopicFollowers, user.Set]
	Widget        kit.Query[message.WidgetOf, string]
	Revising      *revise.Service
	Policies      ports.AutomaticPolicies // nil without a module that provides it
	Metrics       *ports.Metrics
	Collected     *kit.Collected
}

// Service sends messages.
type Service struct {
	Needs
	kind    *ports.IntentKind
	notices *ports.IntentKind
	sent    *ports.Counter // by kind
}

// New returns the service.
func New(n Needs) *Service {
	s := &Service{Needs: n}
	s.sent = n.Metrics.Counter(ports.Instrument{
		Name: "stoa_messages_total", Help: "Messages that were sent through this node.",
		Labels: []ports.Label{{Name: "kind", Values: []string{"channel", "direct"}}},
	})
	s.kind = &ports.IntentKind{Name: "send", Write: s.write}
	s.notices = &ports.IntentKind{Name: "notices", Write: s.writeNotices}
	return s
}

// Messages that exceed these limits, in bytes of content and in users mentioned through groups, are written in separate
// transactions, so that other messages do not wait for them.
const (
	largeText     = 64 << 10
	largeMentions = 500
)

// Send implements [ports.Sender]. Inside Do, the message is part of the transaction.
func (s *Service) Send(ctx context.Context, as user.Actor, m message.Outgoing) (message.ID, error) {
	v, err := s.Directory.View(ctx, as.Realm)
	if err != nil {
		return 0, err
	}
	if m, err = validated(v, as, m); err != nil {
		return 0, err
	}
	return idOf(s.send(ctx, v, as, m, clientIDs{header: m.Key}))
}

// validated validates a message from another module: its content and topic, and that its channel exists. Errors: those
// of POST /messages.
func validated(v *directory.View, as user.Actor, m message.Outgoing) (message.Outgoing, error) {
	var err error
	if m.Content, err = message.Clean(m.Content); err != nil {
		return m, err
	}
	if m.Channel == 0 {
		m.To = idset.Of(append(m.To, as.User)...)
		return m, nil
	}
	if m.Topic, err = topic.Clean(m.Topic); err != nil {
		return m, err
	}
	_, err = message.FindChannel(v, message.ToChannel{ID: m.Channel})
	return m, err
}

func idOf(d *draft, err error) (message.ID, error) {
	if err != nil {
		return 0, err
	}
	return d.id, nil
}

// clientIDs contains the identifiers that a client has chosen for a message.
type clientIDs struct {
	queue, local string
	header       string // Idempotency-Key
}

// send sends a message whose content is clean and whose recipients exist. The returned draft contains the result.
func (s *Service) send(
	ctx context.Context,
	v *directory.View,
	as user.Actor,
	out message.Outgoing,
	e clientIDs,
) (*draft, error) {
	d, err := s.prepare(ctx, v, as, out)
	if err != nil {
		return nil, err
	}
	d.queue, d.local = e.queue, e.local
	if d.channel == 0 {
		if d.message.Recipient, err = s.Conversations.FindOrCreate(ctx, as.Realm, d.members); err != nil {
			return nil, err
		}
	}
	d.identify(e.header)
	size := d.size()
	err = s.Writer.Submit(ctx, as.Realm, as.User, &ports.Intent{
		Kind: s.kind, Value: d, Size: size,
		OwnTx: size > largeText || len(d.alerted) > largeMentions ||
			len(d.rendered.Groups) > 0 && len(d.mentioned(v)) > largeMentions,
	})
	return d, err
}

// prepare makes a checked and rendered draft from a message whose content is clean and whose recipients exist. The
// draft of a direct message lacks the conversation.
func (s *Service) prepare(ctx context.Context, v *directory.View, as user.Actor, out message.Outgoing) (*draft, error) {
	d := s.draft(as, out)
	if err := d.checkPlace(ctx, v); err != nil {
		return nil, err
	}
	var err error
	d.original = out.Content
	if out.Content, err = s.Revising.Revise(ctx, v, message.Revising{
		By: as, Channel: out.Channel, To: out.To, Topic: out.Topic, Content: out.Content,
	}); err != nil {
		return nil, err
	}
	d.message.Content = out.Content
	if d.changesPolicy, err = s.mayChangePolicy(ctx, as, out); err != nil {
		return nil, err
	}
	if d.widget, err = s.widget(ctx, out); err != nil {
		return nil, err
	}
	if err := s.render(ctx, v, d); err != nil {
		return nil, err
	}
	return d, d.checkMentions(v)
}

// draft makes a draft that is neither checked nor rendered.
func (s *Service) draft(as user.Actor, out message.Outgoing) *draft {
	d := &draft{
		channel: out.Channel, url: as.URL, silent: out.Silent, viewer: out.Viewer, reply: out.Reply, files: out.Files,
		message: message.Message{
			Realm:   as.Realm,
			Sender:  as.User,
			Client:  as.Client,
			Content: out.Content,
			ReadFor: out.ReadFor,
		},
	}
	if d.channel == 0 {
		d.members = user.Set(out.To)
	} else {
		d.message.Topic, d.message.TopicKey = out.Topic, topic.Key(out.Topic)
		d.message.Recipient = message.OfChannel(d.channel)
	}
	d.hasMessages.eval = func(ctx context.Context) (bool, error) { return s.conversationExists(ctx, d) }
	return d
}

// mayChangePolicy reports whether a message may change its sender's policy for the topic.
func (s *Service) mayChangePolicy(ctx context.Context, as user.Actor, out message.Outgoing) (bool, error) {
	if out.Channel == 0 || s.Policies == nil {
		return false, nil
	}
	return s.Policies.MayChange(ctx, as, out.Channel, out.Topic)
}

// widget returns the widget of a message, or "". Errors: BadRequest.
func (s *Service) widget(ctx context.Context, out message.Outgoing) (string, error) {
	widget, _, err := s.Widget.Ask(ctx, message.WidgetOf{Content: out.Content, Description: out.WidgetContent})
	switch {
	case err != nil:
		return "", err
	case out.WidgetContent != "" && widget == "":
		return "", errs.Bad("Widgets: not available in this organization")
	case len(widget) > message.MaxSubmessageBytes:
		return "", errs.Bad("Widgets: too long")
	}
	return widget, nil
}

// render renders a draft and sets the fields that follow from its content.
func (s *Service) render(ctx context.Context, v *directory.View, d *draft) error {
	var err error
	viewer := d.message.Sender
	if d.viewer != 0 {
		viewer = d.viewer
	}
	d.rendered, err = s.Markup.Render(ctx, v, markup.Text{
		Sender: viewer, Message: d.message.ID, RealmURL: d.url, Markdown: d.message.Content, At: d.message.SentAt,
	})
	if err != nil {
		return err
	}
	if d.silent {
		d.rendered = withoutMentions(d.rendered, d.files)
	}
	d.message.Rendered, d.message.RenderVersion = d.rendered.HTML, d.rendered.Version
	d.message.Facts = markup.Facts(d.message.Content, d.rendered)
	if d.widget != "" {
		d.message.Facts |= message.HasWidget
	}
	d.message.RealmURL = ""
	if markdown.MayContainURL(d.message.Content, d.url) {
		d.message.RealmURL = d.url
	}
	d.alerted = alertword.Alerted(v, d.message.Content)
	if d.channel == 0 {
		d.rendered.TopicWildcard = false // direct messages have no topic
	}
	if d.rendered.TopicWildcard {
		d.participants, err = s.Store.Reactions.Participants(ctx, d.message.Recipient, d.message.TopicKey)
	}
	return err
}

// conversationExists reports whether the topic or the direct conversation of a draft has messages.
func (s *Service) conversationExists(ctx context.Context, d *draft) (bool, error) {
	to := d.message.Recipient
	if d.channel == 0 {
		var err error
		if to, err = s.Store.Conversations.Find(ctx, d.message.Realm, d.members); err != nil || to == 0 {
			return false, err
		}
	}
	return s.Store.HasMessages(ctx, to, d.message.TopicKey)
}

// Cleanup deletes idempotency keys after a day. It is run by a job.
func (s *Service) Cleanup(ctx context.Context) error {
	const block = 1000
	for {
		n, err := kit.Tx(ctx, s.Work, func(ctx context.Context) (int64, error) {
			return s.Store.Keys.DeleteBefore(ctx, s.Clock.Now().Add(-24*time.Hour), block)
		})
		if err != nil || n < block {
			return err
		}
	}
}
