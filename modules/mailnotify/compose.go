package mailnotify

import (
	"context"
	_ "embed"
	"html/template"
	"strings"
	texttemplate "text/template"
	"unicode/utf8"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/excerpt"
	"github.com/stoachat/stoa/domain/mail"
	"github.com/stoachat/stoa/domain/mailin"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/notification"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/topic"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit/page"
)

//go:embed missed.txt
var missedText string

//go:embed missed.html
var missedHTML string

var (
	textTemplate = texttemplate.Must(texttemplate.New("missed.txt").Parse(missedText))
	htmlTemplate = template.Must(template.New("missed.html").Parse(missedHTML))
)

// Maximum lengths of texts in emails, in code points.
const (
	maxTotal   = 11000 // all messages of an email together, with their senders: less than mail.MaxText with indentation
	maxMessage = 2000  // one message
	headSize   = 20    // the time above a message, and what surrounds it
)

// missedContent holds the content of an email about missed messages.
type missedContent struct {
	page.Words

	Realm       string
	Where       string // name of the conversation; "" if the email must not contain names and texts
	Messages    []shownMessage
	More        int    // number of messages that are not in Messages
	Why         string // the reason for the email
	Missed      string // sentence with the number of messages, shown if Where is ""
	Link        string // URL of the first message, or of the server if Where is ""
	Unsubscribe string
	CanReply    bool
}

type shownMessage struct {
	Sender string
	Time   string
	Lines  []string // of the plain text
	HTML   template.HTML
}

// show returns a message as u sees it in an email, truncated to limit code points.
func (s *service) show(v *directory.View, u *user.User, m *message.Unread, site string, limit int, brief bool,
) shownMessage {
	words, reader := excerpt.Language(v, u), excerpt.Reader(v, u)
	reader.Limit, reader.Brief, reader.Site = limit, brief, site
	reader.Hidden = words.T("(Open the conversation to see the hidden text.)")
	text, html := s.Renderer.Mail(excerpt.HTML(v, u, &m.Visible), reader)
	return shownMessage{
		Sender: permission.UserOrStranger(v, u, m.Sender).FullName,
		Time:   words.Date(m.SentAt.In(excerpt.Zone(u))),
		Lines:  strings.Split(text, "\n"),
		HTML:   template.HTML(html), // #nosec G203 -- the renderer escapes all text
	}
}

// compose composes an email about messages of one conversation. list is sorted, oldest first.
func (s *service) compose(
	ctx context.Context, v *directory.View, u *user.User, list []*message.Unread, reason notification.Trigger,
) (*mail.Message, error) {
	site, err := page.Address(ctx, s.Site, s.Realms, v.Realm())
	if err != nil {
		return nil, err
	}
	unsubscribe, err := s.unsubscribeLink(ctx, site, "missed_messages", u.ID)
	if err != nil {
		return nil, err
	}
	realmName := mail.Name(v.Realm().Settings.Name)
	words := wordsFor(v, u)
	out := missedContent{
		Realm: realmName, Link: site, Words: words, Why: words.T("You receive this email because you have missed messages."),
		Missed:      words.Count(len(list), "You have # new message in %s.", "You have # new messages in %s.", realmName),
		Unsubscribe: unsubscribe,
	}
	subject := words.T("New messages")
	if v.Realm().Settings.MessageContentInEmailNotifications && u.Settings.MessageContentInEmailNotifications {
		subject = s.describe(v, u, list, site, &out)
		out.Link, out.Why = site+list[0].URL(v), words.T(reasons[reason])
	}
	named, err := s.namesRealm(ctx, v, u)
	if err != nil {
		return nil, err
	}
	if named {
		subject += " [" + realmName + "]"
	}
	replyTo, canReply, err := s.ReplyAddress.Ask(ctx,
		mailin.ReplyAddress{Realm: v.Realm().ID, User: u.ID, Message: list[len(list)-1].ID})
	if err != nil {
		return nil, err
	}
	out.CanReply = canReply
	var text, html strings.Builder
	if err := textTemplate.Execute(&text, out); err != nil {
		return nil, err
	}
	if err := htmlTemplate.Execute(&html, out); err != nil {
		return nil, err
	}
	return &mail.Message{
		To: u.DeliveryEmail, Subject: truncate(mail.Line(subject)), Text: mail.Body(text.String()) + "\n",
		HTML:        mail.Body(html.String()),
		Unsubscribe: out.Unsubscribe, ReplyTo: replyTo,
	}, nil
}

// describe sets the conversation and the messages in out, and returns the subject.
func (s *service) describe(v *directory.View, u *user.User, list []*message.Unread, site string, out *missedContent,
) string {
	first := list[0]
	if c := message.ChannelOf(v, first.Recipient); c != nil {
		out.Where = "#" + c.Name + " > " + topic.Show(first.Topic, false)
	} else {
		var names []string
		for _, id := range first.Members {
			if id != u.ID {
				names = append(names, permission.UserOrStranger(v, u, id).FullName)
			}
		}
		out.Where = truncate(out.T("Direct messages with %s", strings.Join(names, ", ")))
	}
	list, out.More = list[:min(len(list), s.cfg.MaxMessages)], max(0, len(list)-s.cfg.MaxMessages)
	left := maxTotal
	for _, m := range list {
		left -= utf8.RuneCountInString(permission.UserOrStranger(v, u, m.Sender).FullName) + headSize
	}
	limit := min(maxMessage, max(1, left/len(list)))
	for _, m := range list {
		out.Messages = append(out.Messages, s.show(v, u, m, site, limit, false))
	}
	return out.Where
}

// maxRealms is the maximum number of organizations that namesRealm searches.
const maxRealms = 20

// namesRealm reports whether the subject must contain the organization's name. This depends on a setting of the user.
// By default, the subject contains the name if the user's address has accounts in several organizations, or if the
// server has more than maxRealms organizations.
func (s *service) namesRealm(ctx context.Context, v *directory.View, u *user.User) (bool, error) {
	const automatic, always = 1, 2
	if p := u.Settings.RealmNameInEmailNotificationsPolicy; p != automatic {
		return p == always, nil
	}
	all, err := s.Realms.All(ctx)
	if err != nil || len(all) < 2 || len(all) > maxRealms {
		return len(all) > maxRealms, err
	}
	for _, id := range all {
		if id == v.Realm().ID {
			continue
		}
		other, err := s.Directory.View(ctx, id)
		if err != nil {
			return false, err
		}
		if account := other.UserByEmail(u.DeliveryEmail); account != nil && account.Active && !account.IsBot() {
			return true, nil
		}
	}
	return false, nil
}

// wordsFor returns the texts of emails in a user's language.
func wordsFor(v *directory.View, u *user.User) page.Words {
	return page.Words{Language: excerpt.Language(v, u)}
}

// reasons maps triggers to the reasons stated in emails.
var reasons = map[notification.Trigger]string{
	notification.DirectMessage: "You receive this email because someone sent you a direct message.",
	notification.Mentioned:     "You receive this email because you were mentioned.",
	notification.TopicWildcard: "You receive this email because the participants of the topic were mentioned.",
	notification.FollowedTopicWildcard: "You receive this email because the participants of a topic that you follow " +
		"were mentioned.",
	notification.ChannelWildcard: "You receive this email because everyone in the channel was mentioned.",
	notification.FollowedChannelWildcard: "You receive this email because everyone was mentioned in a topic that you " +
		"follow.",
	notification.FollowedTopicEmail: "You receive this email because you follow the topic.",
	notification.ChannelEmail: "You receive this email because you have email notifications enabled for the " +
		"channel.",
}

// truncate truncates a subject to the maximum length.
func truncate(subject string) string {
	if r := []rune(subject); len(r) > mail.MaxSubject {
		return string(r[:mail.MaxSubject-1]) + "…"
	}
	return subject
}
