package mailin

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/mail"
	"github.com/stoachat/stoa/domain/mailin"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit/page"
)

// parseChannel parses a channel address.
func (s *service) parseChannel(to string) (mailin.Channel, bool) {
	return mailin.OpenChannel(to, s.Incoming.Domain())
}

// destination describes where email to a channel address is posted.
type destination struct {
	address *channel.Addressed
	view    *directory.View
	creator *user.User // the user who requested the address
	sender  *user.User // the author of the resulting messages
}

// openChannel looks up a channel address. The address is valid as long as its creator is allowed to post in the
// channel. Errors: NotFound, the same for all invalid addresses.
func (s *service) openChannel(ctx context.Context, a mailin.Channel) (destination, error) {
	unknown := errs.New(errs.NotFound, "There is no such address.")
	address, _, err := s.ByAddress.Ask(ctx, channel.ByAddress{Token: a.Token})
	if err != nil {
		return destination{}, err
	}
	if address == nil {
		return destination{}, unknown
	}
	v, err := s.Directory.View(ctx, address.Realm)
	if err != nil {
		return destination{}, err
	}
	if v.Realm() == nil || v.Realm().Deactivated {
		return destination{}, unknown
	}
	dest := destination{address, v, v.User(address.Creator), v.User(address.Sender)}
	c := v.Channel(address.Channel)
	if c == nil || dest.creator == nil || !dest.creator.Active || dest.sender == nil || !dest.sender.Active ||
		message.CheckPost(v, dest.creator, c) != nil {
		return destination{}, unknown
	}
	return dest, nil
}

// post posts an email in a channel. The email's author is not authenticated, so the message mentions no one and links
// only to what the creator of the address is allowed to see.
func (s *service) post(ctx context.Context, a mailin.Channel, to string, m mailin.Mail) error {
	dest, err := s.openChannel(ctx, a)
	if err != nil || m.Automatic { // drop automatic emails silently: rejecting them could cause a mail loop
		return err
	}
	text := strings.TrimSpace(m.Text)
	if text == "" && len(m.Files) == 0 {
		return errs.Bad("The email has no text.")
	}
	quotes := slices.Contains(a.Options, mailin.KeepQuotes) || slices.Contains(a.Options, mailin.KeepFooter)
	if m.InThread && !quotes && !m.IsForward() {
		if own := mailin.Reply(m.Text); own != "" || len(m.Files) > 0 {
			text = own // otherwise the sender wants to post the quoted email
		}
	}
	if !s.channelLimit.allow(a.Token, s.Clock.Now()) {
		return errs.New(errs.Unavailable, "Too many emails at once.")
	}
	if slices.Contains(a.Options, mailin.ShowSender) {
		text = strings.TrimSpace(fmt.Sprintf("From: %s\n\n%s", sender(m), text))
	}
	site, err := page.Address(ctx, s.Site, s.Realms, dest.view.Realm())
	if err != nil {
		return err
	}
	owner := user.Actor{
		Realm: dest.address.Realm, User: dest.creator.ID, Role: dest.creator.Role, Client: client, URL: site,
	}
	text, files, err := s.attachFiles(ctx, owner, text, m)
	if err != nil {
		return err
	}
	as := user.Actor{
		Realm: dest.address.Realm, User: dest.sender.ID, Role: dest.sender.Role, Bot: dest.sender.BotType,
		Client: client, URL: site,
	}
	_, err = s.Sender.Send(ctx, as, message.Outgoing{
		Channel: dest.address.Channel, Topic: mailin.Topic(m.Subject, m.InThread), Content: text, Silent: true,
		Viewer: dest.creator.ID,
		Files:  files, Key: m.Key(to),
	})
	return err
}

// sender returns the name and address in the email's From header.
func sender(m mailin.Mail) string {
	address := mail.Line(m.From)
	if name := mail.Name(m.FromName); name != "" {
		return name + " <" + address + ">"
	}
	return address
}
