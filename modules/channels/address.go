package channels

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"strings"

	"github.com/stoachat/stoa/domain/audit"
	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/channels/internal/access"
	"github.com/stoachat/stoa/modules/kit"
)

type addressReq struct {
	Channel channel.ID `json:"stream_id"`
	Sender  *user.ID   `json:"sender_id"`
}

type addressRes struct {
	Email string `json:"email"` // "" if the server does not receive email
}

// address handles GET /streams/{stream_id}/email_address. Users who may post in a channel may also do so by email. A
// user's address stays the same until the channel is archived. Errors: BadRequest.
func (s *service) address(ctx context.Context, a kit.Actor, in addressReq) (addressRes, error) {
	v, err := s.Directory.View(ctx, a.Realm)
	if err != nil {
		return addressRes{}, err
	}
	c, sender, err := addressed(v, a, in)
	if err != nil || s.cfg.EmailPattern == "" {
		return addressRes{}, err
	}
	secret := make([]byte, 16)
	if _, err := rand.Read(secret); err != nil {
		return addressRes{}, err
	}
	return kit.Tx(ctx, s.Work, func(ctx context.Context) (addressRes, error) {
		v, err := s.Directory.View(ctx, a.Realm)
		if err != nil {
			return addressRes{}, err
		}
		if c, sender, err = addressed(v, a, in); err != nil { // repeated with the current view
			return addressRes{}, err
		}
		made := hex.EncodeToString(secret)
		token, err := s.rows.Token(ctx, a.Realm, c.ID, a.User, sender, made)
		if err == nil && token == made {
			err = s.Audit.Record(ctx, audit.Fact{
				Realm: a.Realm, Action: audit.ChannelAddressIssued, Target: audit.To(audit.Channel, c.ID),
				New: audit.Values{"sender": sender, "address": audit.Secret},
			})
		}
		return addressRes{strings.Replace(s.cfg.EmailPattern, "%s", channel.Mailbox(c.Name, token), 1)}, err
	})
}

// byAddress answers channel.ByAddress.
func (s *service) byAddress(ctx context.Context, q channel.ByAddress) (*channel.Addressed, error) {
	row, err := s.rows.ByToken(ctx, q.Token)
	if err != nil || row == nil {
		return nil, err
	}
	return &channel.Addressed{
		Realm: row.RealmID, Channel: row.ChannelID, Creator: row.CreatorID, Sender: row.SenderID,
	}, nil
}

// addressed checks that a may have an email address for a channel. It returns the channel and the sender of messages
// received at that address: the email gateway bot (the default), the caller, or one of the caller's bots. Errors:
// BadRequest.
func addressed(v *directory.View, a kit.Actor, in addressReq) (*channel.Channel, user.ID, error) {
	c, me := v.Channel(in.Channel), v.User(a.User)
	if !access.Reads(v, c, a) || me == nil {
		return nil, 0, channel.Invalid()
	}
	gateway := v.SystemBot(user.EmailGatewayBot)
	var sender user.ID
	switch {
	case gateway != nil && (in.Sender == nil || *in.Sender == gateway.ID):
		sender = gateway.ID
	case in.Sender == nil:
		sender = me.ID
	default:
		u := v.User(*in.Sender)
		if u == nil || u.ID != me.ID && (!u.Active || !u.IsBot() || u.BotOwner != me.ID) {
			return nil, 0, errs.Bad("Invalid sender_id")
		}
		sender = u.ID
	}
	return c, sender, message.CheckPost(v, me, c)
}
