package mailin

import (
	"context"
	"strings"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/mailin"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/kit/page"
)

// replyAddress answers mailin.ReplyAddress.
func (s *service) replyAddress(ctx context.Context, q mailin.ReplyAddress) (string, error) {
	secret, err := s.secrets.Secret(ctx)
	if err != nil {
		return "", err
	}
	id, err := kit.Tx(ctx, s.Work, func(ctx context.Context) (int64, error) {
		return s.store.Upsert(ctx, reply{
			RealmID: q.Realm, UserID: q.User, MessageID: q.Message, CreatedAt: s.Clock.Now(),
		})
	})
	return mailin.Address(secret, id, s.Incoming.Domain()), err
}

// receive is the job that receives emails.
func (s *service) receive(ctx context.Context) error { return s.Incoming.Serve(ctx, s) }

// prune is the job that deletes old addresses.
func (s *service) prune(ctx context.Context) error {
	before := s.Clock.Now().Add(-s.cfg.Keep)
	return s.Work.Do(ctx, func(ctx context.Context) error { return s.store.Prune(ctx, before) })
}

// replyTarget is a valid reply address, the user to whom it belongs, and the realm's view.
type replyTarget struct {
	reply *reply
	view  *directory.View
	user  *user.User
}

// openReply looks up a reply address. Errors: NotFound, the same for all invalid addresses.
func (s *service) openReply(ctx context.Context, address string) (replyTarget, error) {
	unknown := errs.New(errs.NotFound, "There is no such address.")
	secret, err := s.secrets.Secret(ctx)
	if err != nil {
		return replyTarget{}, err
	}
	id, ok := mailin.Open(secret, address, s.Incoming.Domain())
	if !ok {
		return replyTarget{}, unknown
	}
	row, err := s.store.ByID(ctx, id)
	if err != nil {
		return replyTarget{}, err
	}
	if row == nil || row.CreatedAt.Before(s.Clock.Now().Add(-s.cfg.Keep)) {
		return replyTarget{}, unknown
	}
	v, err := s.Directory.View(ctx, row.RealmID)
	if err != nil {
		return replyTarget{}, err
	}
	u := v.User(row.UserID)
	if v.Realm() == nil || v.Realm().Deactivated || u == nil || !u.Active || u.IsBot() {
		return replyTarget{}, unknown
	}
	return replyTarget{row, v, u}, nil
}

// Known implements ports.MailHandler.
func (s *service) Known(ctx context.Context, to string) error {
	if address, ok := s.parseChannel(to); ok {
		_, err := s.openChannel(ctx, address)
		return err
	}
	_, err := s.openReply(ctx, to)
	return err
}

// Take implements ports.MailHandler.
func (s *service) Take(ctx context.Context, to string, m mailin.Mail) error {
	if address, ok := s.parseChannel(to); ok {
		return s.post(ctx, address, to, m)
	}
	return s.reply(ctx, to, m)
}

// reply posts a reply to an email about missed messages.
func (s *service) reply(ctx context.Context, to string, m mailin.Mail) error {
	target, err := s.openReply(ctx, to)
	if err != nil || m.Automatic || m.Listed {
		return err
	}
	if !strings.EqualFold(m.From, target.user.DeliveryEmail) {
		return errs.Bad("Reply from the address of your account.")
	}
	text := strings.TrimSpace(m.Text)
	if !m.IsForward() {
		text = mailin.Reply(m.Text)
	}
	switch {
	case m.Text == "" && len(m.Files) == 0:
		return errs.Bad("The email has no text.")
	case text == "" && len(m.Files) == 0:
		return errs.Bad("The reply is empty except for quotations.")
	}
	if !s.replyLimit.allow(target.user.ID, s.Clock.Now()) {
		return errs.New(errs.Unavailable, "Too many replies at once.")
	}
	out, err := s.draftReply(ctx, target)
	if err != nil {
		return err
	}
	site, err := page.Address(ctx, s.Site, s.Realms, target.view.Realm())
	if err != nil {
		return err
	}
	as := user.Actor{Realm: target.reply.RealmID, User: target.user.ID, Role: target.user.Role, Client: client, URL: site}
	if out.Content, _, err = s.attachFiles(ctx, as, text, m); err != nil {
		return err
	}
	out.Key = m.Key(to)
	_, err = s.Sender.Send(ctx, as, out)
	return err
}

// client is the client name of messages sent by email.
const client = "email"

// draftReply returns an empty message to the conversation that now contains the original message, without deactivated
// users. Errors: BadRequest if the user can no longer read that message, or nobody else is left in the conversation.
func (s *service) draftReply(ctx context.Context, target replyTarget) (message.Outgoing, error) {
	all, err := s.Receivers.MessageFlags(ctx, target.reply.RealmID, target.reply.MessageID)
	if err != nil {
		return message.Outgoing{}, err
	}
	unavailable := errs.Bad("The message that you reply to is no longer there.")
	if len(all) == 0 {
		return message.Outgoing{}, unavailable
	}
	m := all[0]
	if c, isChannel := m.Recipient.Channel(); isChannel {
		if to := target.view.Channel(c); to == nil || !permission.Reads(target.view, to, target.user) {
			return message.Outgoing{}, unavailable
		}
		return message.Outgoing{Channel: c, Topic: m.Topic}, nil
	}
	var others []user.ID
	for _, id := range m.Members {
		if u := target.view.User(id); id != target.user.ID && u != nil && u.Active {
			others = append(others, id)
		}
	}
	switch {
	case len(m.Members) == 1:
		others = []user.ID{target.user.ID}
	case len(others) == 0:
		return message.Outgoing{}, errs.Bad("Nobody else in this conversation is using Stoa any longer.")
	}
	return message.Outgoing{To: others}, nil
}
