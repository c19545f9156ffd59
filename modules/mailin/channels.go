package mailin

import (
	"bytes"
	"context"
	"errors"
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
	if s.Addresses == nil {
		return mailin.Channel{}, false
	}
	return mailin.OpenChannel(to, s.Incoming.Domain())
}

// destination is the channel to which an address belongs.
type destination struct {
	of      *channel.Addressed
	view    *directory.View
	creator *user.User
	sender  *user.User
}

// openChannel returns the channel of an address. The address is valid as long as the user who requested it is allowed
// to post in the channel. Errors: NotFound, the same for all invalid addresses.
func (s *service) openChannel(ctx context.Context, a mailin.Channel) (destination, error) {
	unknown := errs.New(errs.NotFound, "There is no such address.")
	of, err := s.Addresses.Addressed(ctx, a.Token)
	if err != nil {
		return destination{}, err
	}
	if of == nil {
		return destination{}, unknown
	}
	v, err := s.Directory.View(ctx, of.Realm)
	if err != nil {
		return destination{}, err
	}
	if v.Realm() == nil || v.Realm().Deactivated {
		return destination{}, unknown
	}
	at := destination{of, v, v.User(of.Creator), v.User(of.Sender)}
	c := v.Channel(of.Channel)
	if c == nil || at.creator == nil || !at.creator.Active || at.sender == nil || !at.sender.Active ||
		message.CheckPost(v, at.creator, c) != nil {
		return destination{}, unknown
	}
	return at, nil
}

// post turns an email into a message in a channel. Anyone may have sent the email, so the message mentions no one and
// links only to what the user who requested the address is allowed to see.
func (s *service) post(ctx context.Context, a mailin.Channel, to string, m mailin.Mail) error {
	at, err := s.openChannel(ctx, a)
	if err != nil || m.Automatic { // automatic emails are dropped, since a refusal could be answered automatically
		return err
	}
	text := strings.TrimSpace(strings.ReplaceAll(m.Text, "\r\n", "\n"))
	if !slices.Contains(a.Options, mailin.KeepQuotes) && !slices.Contains(a.Options, mailin.KeepFooter) {
		text = mailin.Reply(m.Text)
	}
	switch {
	case m.Text == "" && len(m.Files) == 0:
		return errs.Bad("The email has no text.")
	case text == "" && len(m.Files) == 0:
		return errs.Bad("The email is empty except for quotations.")
	}
	if !s.posts.take(a.Token, s.Clock.Now()) {
		return errs.New(errs.Unavailable, "Too many emails at once.")
	}
	if slices.Contains(a.Options, mailin.ShowSender) {
		text = strings.TrimSpace(fmt.Sprintf("From: %s\n\n%s", sender(m), text))
	}
	site, err := page.Address(ctx, s.Site, s.Realms, at.view.Realm())
	if err != nil {
		return err
	}
	owner := user.Actor{Realm: at.of.Realm, User: at.creator.ID, Role: at.creator.Role, Client: client, URL: site}
	text, files, err := s.withFiles(ctx, owner, text, m.Files)
	if err != nil {
		return err
	}
	as := user.Actor{
		Realm: at.of.Realm, User: at.sender.ID, Role: at.sender.Role, Bot: at.sender.BotType, Client: client, URL: site,
	}
	_, err = s.Sender.Send(ctx, as, message.Outgoing{
		Channel: at.of.Channel, Topic: mailin.Topic(m.Subject), Content: text, Silent: true, Viewer: at.creator.ID,
		Files: files, Key: m.Key(to),
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

// withFiles stores a user's files and appends links to a text. If a file is refused, the text mentions its name
// instead, so that the text is not lost. withFiles also returns the path IDs of the stored files. It fails only with
// temporary errors, such as Unavailable.
func (s *service) withFiles(
	ctx context.Context, as user.Actor, text string, files []mailin.File,
) (with string, paths []string, err error) {
	var lines []string
	if text != "" {
		lines = append(lines, text, "")
	}
	for _, f := range files {
		url, name, err := s.storeFile(ctx, as, f)
		var refusal *errs.Error
		switch {
		case err == nil:
			lines = append(lines, "["+withoutBrackets(name)+"]("+url+")")
			paths = append(paths, strings.TrimPrefix(url, "/user_uploads/"))
		case errors.As(err, &refusal) && refusal.Code != errs.Unavailable && refusal.Code != errs.Internal:
			lines = append(lines, "(The attachment "+withoutBrackets(mail.Line(f.Name))+" could not be stored.)")
		default:
			return "", nil, err
		}
	}
	return strings.TrimSpace(strings.Join(lines, "\n")), paths, nil
}

func (s *service) storeFile(ctx context.Context, as user.Actor, f mailin.File) (url, name string, err error) {
	if s.Files == nil {
		return "", "", errs.Bad("This server stores no files.")
	}
	return s.Files.StoreFile(ctx, as, f.Name, f.Type, bytes.NewReader(f.Data))
}

// withoutBrackets makes a name safe to use as the text of a link.
func withoutBrackets(name string) string { return strings.NewReplacer("[", "", "]", "").Replace(name) }
