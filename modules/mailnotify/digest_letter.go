package mailnotify

import (
	"context"
	_ "embed"
	"html/template"
	"slices"
	"strings"
	texttemplate "text/template"
	"time"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/idset"
	"github.com/stoachat/stoa/domain/mail"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/topic"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit/page"
)

//go:embed digest.txt
var digestText string

//go:embed digest.html
var digestHTML string

var (
	digestTextTemplate = texttemplate.Must(texttemplate.New("digest.txt").Parse(digestText))
	digestHTMLTemplate = template.Must(template.New("digest.html").Parse(digestHTML))
)

const (
	maxDigestAge   = 2 * 24 * time.Hour // age after which a digest is no longer sent
	maxShown       = 4                  // maximum number of discussions shown in a digest
	digestExcerpt  = 300                // maximum length of a message in a digest, in code points
	maxNewChannels = 10                 // maximum number of new channels in a digest
)

// digest holds the content of a digest.
type digest struct {
	page.Words

	Realm, Site, Unsubscribe string
	Unread                   int               // number of discussions with messages that the user has not read
	Unreads                  string            // sentence with the number Unread
	Discussions              []shownDiscussion // empty if the digest must not contain names and texts
	Channels                 []string          // names of new channels; empty in the same case
}

type shownDiscussion struct {
	Where, Link       string
	Messages, Writers int // numbers of messages and senders; 0: not shown
	Newest            []shownMessage
}

// writeDigest composes a digest. It returns nil if the user has read everything in the meantime.
func (s *service) writeDigest(ctx context.Context, v *directory.View, ref int64) (*mail.Message, error) {
	d, err := s.store.Digest(ctx, ref)
	if err != nil || d == nil || s.Clock.Now().Sub(d.CreatedAt) > maxDigestAge {
		return nil, err
	}
	u := v.User(d.UserID)
	if u == nil || !u.Active || !u.Settings.EnableDigestEmails || !v.Realm().Settings.DigestEmailsEnabled {
		return nil, nil
	}
	site, err := page.Address(ctx, s.Site, s.Realms, v.Realm())
	if err != nil {
		return nil, err
	}
	out := digest{Words: wordsFor(v, u), Realm: mail.Name(v.Realm().Settings.Name), Site: site}
	if err := s.fillDigest(ctx, v, u, d, &out); err != nil || out.Unread == 0 {
		return nil, err
	}
	if out.Unsubscribe, err = s.unsubscribeLink(ctx, site, "digest", u.ID); err != nil {
		return nil, err
	}
	out.Unreads = out.Count(
		out.Unread, "You have unread messages in # conversation in %s.", "You have unread messages in # conversations in %s.",
		out.Realm,
	)
	var text, html strings.Builder
	if err := digestTextTemplate.Execute(&text, out); err != nil {
		return nil, err
	}
	if err := digestHTMLTemplate.Execute(&html, out); err != nil {
		return nil, err
	}
	return &mail.Message{
		To: u.DeliveryEmail, Subject: truncate(mail.Line(out.T("What you missed in %s", out.Realm))),
		Text: mail.Body(text.String()) + "\n", HTML: mail.Body(html.String()), Unsubscribe: out.Unsubscribe,
	}, nil
}

// fillDigest sets the discussions and channels in out. It omits discussions that the user cannot see or has read.
func (s *service) fillDigest(ctx context.Context, v *directory.View, u *user.User, d *digestLetter, out *digest) error {
	query := map[message.ID]user.Set{}
	for _, entry := range d.Discussions {
		for _, id := range entry.Newest {
			query[id] = idset.Of(u.ID)
		}
	}
	all, err := s.Receivers.Unread(ctx, v.Realm().ID, query)
	if err != nil {
		return err
	}
	unread := make(map[message.ID]*message.Unread, len(all))
	for i, m := range all {
		c := message.ChannelOf(v, m.Recipient)
		if m.Users.Has(u.ID) && c != nil && !c.Archived && v.Subscribed(u.ID, c.ID) && !v.Muted(u.ID).Has(m.Sender) {
			unread[m.ID] = &all[i]
		}
	}
	contents := v.Realm().Settings.MessageContentInEmailNotifications && u.Settings.MessageContentInEmailNotifications
	for _, entry := range d.Discussions {
		var list []*message.Unread
		for _, id := range entry.Newest {
			// A moved message belongs to another discussion.
			if m := unread[id]; m != nil &&
				(len(list) == 0 || m.Recipient == list[0].Recipient && m.TopicKey == list[0].TopicKey) {
				list = append(list, m)
			}
		}
		if len(list) == 0 {
			continue
		}
		if out.Unread++; contents && len(out.Discussions) < maxShown {
			out.Discussions = append(out.Discussions, s.showDiscussion(v, u, entry, list, out.Site))
		}
	}
	if contents {
		out.Channels = newChannels(v, u, d.CreatedAt.Add(-digestPeriod))
	}
	return nil
}

func (s *service) showDiscussion(
	v *directory.View, u *user.User, d digestEntry, list []*message.Unread, site string,
) shownDiscussion {
	first := list[0]
	out := shownDiscussion{
		Where: "#" + message.ChannelOf(v, first.Recipient).Name + " > " + topic.Show(first.Topic, false),
		Link:  site + first.URL(v),
	}
	// Users without access to older messages must not learn their number.
	if message.AccessTo(v, first.Recipient, u) == message.AllAccess {
		out.Messages, out.Writers = d.Messages, d.Writers
	}
	for _, m := range list {
		out.Newest = append(out.Newest, s.show(v, u, m, site, digestExcerpt, true))
	}
	return out
}

// newChannels returns the names of public channels created after since to which the user could subscribe, but has not.
func newChannels(v *directory.View, u *user.User, since time.Time) (names []string) {
	for c := range v.Channels() {
		if !c.Private && !c.Archived && c.Created.After(since) && permission.Reads(v, c, u) && !v.Subscribed(u.ID, c.ID) {
			names = append(names, "#"+c.Name)
		}
	}
	slices.Sort(names)
	return names[:min(len(names), maxNewChannels)]
}
