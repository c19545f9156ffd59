package mattermost

import (
	"cmp"
	"context"
	"encoding/json"
	"strings"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/importing"
	"github.com/stoachat/stoa/domain/topic"
	"github.com/stoachat/stoa/domain/user"
)

// Keys of records that the source makes itself.
const (
	notifier      importing.Key = "@notification-bot"
	positionField importing.Key = "position"
	nicknameField importing.Key = "nickname"
)

// Scan implements importing.Source.
func (s *source) Scan(ctx context.Context) (*importing.Directory, error) {
	d := &importing.Directory{
		Realm: importing.Realm{
			Name: cmp.Or(s.team.DisplayName, s.team.Name), Description: s.team.Description,
			Announce: channelKey(s.team.Name, townSquare), Settings: json.RawMessage(`{"realm_invite_required":true}`),
		},
		Fields: []importing.Field{
			{Key: positionField, Type: shortText, Name: "Position"}, {Key: nicknameField, Type: shortText, Name: "Nickname"},
		},
	}
	if s.team.OpenInvite {
		d.Realm.Settings = json.RawMessage(`{"realm_invite_required":false}`)
	}
	wrote, err := s.scanPosts(ctx, d)
	if err != nil {
		return nil, err
	}
	s.scanPeople(d, wrote)
	s.scanChannels(d)
	for _, name := range s.order.emoji {
		e := s.emoji[name]
		path, ok := s.path(e.Image)
		if !ok {
			s.Report.Count(importing.Emojis, importing.Refused, "its image is missing in the archive", name)
			continue
		}
		d.Emoji = append(d.Emoji, importing.Emoji{
			Key: emojiKey(name), Name: importing.EmojiName(name, s.unicode),
			Image: &importing.File{Name: base(path), Path: path},
		})
	}
	return d, nil
}

const (
	townSquare = "town-square" // the name of the channel in which everybody is
	shortText  = 1             // the type of a profile field
)

func emojiKey(name string) importing.Key { return importing.Key(name) }

func (s *source) unicode(name string) bool { _, ok := s.EmojiCode(name); return ok }

// scanPosts returns everybody who takes part in a conversation, and adds what people follow.
func (s *source) scanPosts(ctx context.Context, d *importing.Directory) (map[importing.Key]bool, error) {
	wrote := map[importing.Key]bool{}
	for _, c := range s.direct {
		for _, k := range personKeys(c.Members) {
			wrote[k] = true
		}
	}
	err := s.posts(ctx, func(p *post) error {
		for _, k := range p.people {
			wrote[k] = true
		}
		wrote[personKey(p.User)] = true
		for i := range p.Replies.All {
			wrote[personKey(p.Replies.All[i].User)] = true
		}
		if p.topic == "" {
			return nil
		}
		for _, f := range p.Followers.All {
			d.Policies = append(d.Policies, importing.TopicPolicy{
				Person: personKey(f.User), Channel: p.channel, Topic: p.topic, Policy: topic.Followed,
				At: importing.Milliseconds(max(f.LastViewed, p.CreateAt)),
			})
		}
		return nil
	}, nil)
	return wrote, err
}

func (s *source) scanPeople(d *importing.Directory, wrote map[importing.Key]bool) {
	for _, k := range s.order.users {
		u := s.users[k]
		switch {
		case s.bots[k] != nil:
			continue // listed as both
		case !s.inTeam(u) && !wrote[k]:
			s.Report.Count(importing.People, importing.Skipped, "is not in the team, and wrote nothing that is imported",
				u.Username)
			continue
		}
		d.People = append(d.People, s.person(k, u))
		s.subscriptions(d, k, u)
	}
	for _, k := range s.order.bots {
		b := s.bots[k]
		d.People = append(d.People, importing.Person{
			Key: k, Name: cmp.Or(b.DisplayName, b.Username), Bot: user.GenericBot, Owner: s.owner(b), Inactive: b.DeleteAt > 0,
			Avatar: s.image(b.ProfileImage),
		})
	}
	d.People = append(d.People, importing.Person{Key: notifier, Name: "Notification Bot", System: user.NotificationBot})
}

// owner returns who owns a bot. Those of plugins belong to nobody.
func (s *source) owner(b *botLine) importing.Key {
	if k := personKey(b.Owner); s.users[k] != nil {
		return k
	}
	return ""
}

func (s *source) inTeam(u *userLine) bool {
	for _, t := range u.Teams.All {
		if strings.EqualFold(t.Name, s.team.Name) {
			return true
		}
	}
	return false
}

// name returns the name that others see.
func (u *userLine) name() string {
	return cmp.Or(strings.TrimSpace(u.FirstName+" "+u.LastName), u.Nickname, u.Username)
}

func (s *source) person(k importing.Key, u *userLine) importing.Person {
	p := importing.Person{
		Key: k, Email: u.Email, Name: u.name(), Role: s.role(u), Inactive: u.DeleteAt > 0,
		Avatar: s.image(u.ProfileImage), Fields: map[importing.Key]string{}, Words: alertWords(u),
	}
	if u.Position != "" {
		p.Fields[positionField] = importing.CleanText(u.Position)
	}
	if u.Nickname != "" && u.Nickname != p.Name {
		p.Fields[nicknameField] = importing.CleanText(u.Nickname)
	}
	if st := u.CustomStatus; st != nil && !st.expired(s.Now) {
		p.Status = importing.CleanText(st.Text)
		if name, _ := splitTone(st.Emoji); s.unicode(name) {
			p.StatusFor = name
		}
	}
	if u.AuthService != "" && u.AuthData != "" {
		p.Identities = []importing.Identity{{Provider: u.AuthService, Subject: u.AuthData}}
	}
	if p.Role == user.Owner && p.Inactive {
		p.Role = user.Member
	}
	return p
}

// alertWords returns the words that notify a user, but for the own name, a mention of which does.
func alertWords(u *userLine) []string {
	var words []string
	for w := range strings.SplitSeq(u.NotifyProps.MentionKeys, ",") {
		w = strings.TrimSpace(importing.CleanText(w))
		if w != "" && !strings.EqualFold(strings.TrimPrefix(w, "@"), u.Username) {
			words = append(words, w)
		}
	}
	return words
}

func (s *source) subscriptions(d *importing.Directory, k importing.Key, u *userLine) {
	for _, t := range u.Teams.All {
		if !strings.EqualFold(t.Name, s.team.Name) {
			s.Report.Add(importing.Subscriptions, importing.Skipped, int64(len(t.Channels.All)), "in another team", u.Username)
			continue
		}
		s.Report.Malformed(importing.Subscriptions, t.Channels.Bad, u.Username)
		for _, c := range t.Channels.All {
			key := channelKey(t.Name, c.Name)
			if s.channels[key] == nil {
				s.Report.Count(importing.Subscriptions, importing.Refused, "to a channel that is not in the archive",
					u.Username+" in "+string(key))
				continue
			}
			d.Subscriptions = append(d.Subscriptions, importing.Subscription{
				Person: k, Channel: key, Muted: c.NotifyProps.MarkUnread == "mention", Pinned: c.Favorite,
			})
		}
	}
	s.Report.Malformed(importing.Subscriptions, u.Teams.Bad, u.Username)
}

func (s *source) scanChannels(d *importing.Directory) {
	for _, k := range s.order.channels {
		c := s.channels[k]
		if !s.ours(c.Team) {
			s.Report.Count(importing.Channels, importing.Skipped, "in another team", string(k))
			continue
		}
		one := importing.Channel{
			Key: k, Name: cmp.Or(c.DisplayName, c.Name), Private: c.Type == "P", Archived: c.DeletedAt > 0,
			Default: c.Name == townSquare,
		}
		var rest string
		if one.Description, rest = importing.Describe(channel.MaxDescription, c.Purpose, c.Header); rest != "" {
			one.Loss = &importing.Loss{Reason: "the description is too long; cut", Where: "~" + c.Name + ": … " + rest}
		}
		d.Channels = append(d.Channels, one)
	}
	for range s.direct {
		s.Report.Count(importing.Others, importing.Imported, "", "") // their messages make the conversations
	}
	for _, c := range s.direct {
		if len(c.FavoritedBy) > 0 {
			s.Report.Add(importing.Others, importing.Skipped, int64(len(c.FavoritedBy)),
				"direct conversations cannot be favorites", "")
		}
		if c.Header != "" {
			s.Report.Count(importing.Others, importing.Skipped, "direct conversations have no header", "")
		}
	}
}

// ours reports whether a team is the one to be imported.
func (s *source) ours(team string) bool { return strings.EqualFold(team, s.team.Name) }
