package notices

import (
	"context"
	"strings"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/excerpt"
	"github.com/stoachat/stoa/domain/language"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/messages/internal/links"
	"github.com/stoachat/stoa/modules/messages/internal/send"
)

// signupsTopic is the topic of notices that announce new users.
const signupsTopic = "signups"

// welcomeText returns the welcome message of a realm without one of its own, in the user's language.
func welcomeText(l *language.Language) string {
	return l.T("Hello, and welcome! Your [inbox](/#inbox) lists the newest messages of your channels. Open one " +
		"to read it and to answer, or join more channels in the [list of all channels](/#channels/all).\n\n" +
		"Add a picture and a few words about yourself in your [profile](/#settings/profile), then say hello to the " +
		"others. Nobody else reads this conversation, so you can try everything here.")
}

// joined sends new users the realm's welcome message and announces them if the realm has a channel for that. Accounts
// that the operator creates get no message unless the realm has one of its own.
func (s *Service) joined(ctx context.Context, m *user.Joined) error {
	if m.User.IsBot() {
		return nil
	}
	v, err := s.Directory.View(ctx, m.Realm)
	if err != nil || v.Realm() == nil {
		return err
	}
	var all []send.Notice
	text := v.Realm().Settings.WelcomeMessageCustomText
	if text == "" && !m.By.System {
		text = welcomeText(excerpt.Language(v, m.User))
	}
	if m.Welcome != nil {
		text = *m.Welcome
	}
	if strings.TrimSpace(text) != "" {
		all = append(all, send.Notice{From: user.WelcomeBot, ToUser: m.User.ID, Text: text})
	}
	if to := v.Channel(channel.ID(v.Realm().Settings.SignupAnnouncementsStream)); to != nil && !to.Archived {
		text := links.User(v, m.User.ID) + " joined this organization."
		all = append(all, send.Notice{ToChannel: to, Topic: topicIn(to, signupsTopic), Text: text, ReadFor: m.User.ID})
	}
	return s.Sender.Notify(ctx, m.Realm, all)
}

type welcomeReq struct {
	Text string `json:"welcome_message_custom_text"`
}

type welcomeRes struct {
	ID message.ID `json:"message_id"`
}

// testWelcome handles POST /realm/test_welcome_bot_custom_message. Errors: BadRequest.
func (s *Service) testWelcome(ctx context.Context, a kit.Actor, in welcomeReq) (welcomeRes, error) {
	if err := realm.CheckWelcome(in.Text); err != nil {
		return welcomeRes{}, err
	}
	v, err := s.Directory.View(ctx, a.Realm)
	if err != nil {
		return welcomeRes{}, err
	}
	bot := v.SystemBot(user.WelcomeBot)
	if bot == nil {
		return welcomeRes{}, errs.Bad("There is no Welcome Bot in this organization.")
	}
	as := user.Actor{Realm: a.Realm, User: bot.ID, Role: bot.Role, Bot: bot.BotType, Client: send.ServerClient}
	id, err := s.Sender.Send(ctx, as, message.Outgoing{To: []user.ID{a.User}, Content: in.Text, Silent: true})
	return welcomeRes{id}, err
}
