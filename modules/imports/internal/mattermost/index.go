package mattermost

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/stoachat/stoa/domain/importing"
	"github.com/stoachat/stoa/domain/user"
)

// index is everything but posts.
type index struct {
	team     teamLine
	teams    []teamLine
	channels map[importing.Key]*channelLine
	users    map[importing.Key]*userLine
	bots     map[importing.Key]*botLine
	emoji    map[string]*emojiLine
	direct   map[importing.Key]*directChannelLine
	order    order
	views    map[importing.Key]*views // by conversation
}

// order lists keys in the order of the file.
type order struct {
	channels, users, bots []importing.Key
	emoji                 []string
}

// kinds maps types of lines to kinds of records.
var kinds = map[string]importing.Kind{
	"team": importing.Realms, "channel": importing.Channels, "user": importing.People, "bot": importing.People,
	"emoji": importing.Emojis, "post": importing.Messages, "direct_post": importing.Messages,
}

// readIndex reads all lines but posts, and counts those that lead to no record.
func (s *source) readIndex(ctx context.Context) error {
	s.index = index{
		channels: map[importing.Key]*channelLine{}, users: map[importing.Key]*userLine{},
		bots: map[importing.Key]*botLine{}, emoji: map[string]*emojiLine{},
		direct: map[importing.Key]*directChannelLine{}, views: map[importing.Key]*views{},
	}
	return s.lines(ctx, func(where string, l *line) error {
		switch {
		case l == nil:
			s.Report.Count(importing.Others, importing.Refused, "not a line of JSON, or too long", where)
		case l.Type == "version" || l.Type == "post" || l.Type == "direct_post":
		case l.Type == "role" || l.Type == "scheme":
			s.Report.Count(importing.Others, importing.Skipped, "permissions have no equivalent: "+l.Type, where)
		default:
			known, ok := s.add(l)
			kind := cmp.Or(kinds[l.Type], importing.Others)
			switch {
			case !known:
				s.Report.Count(kind, importing.Skipped, "a line of an unknown type",
					where+" "+importing.CleanName(l.Type, 40, ""))
			case !ok:
				s.Report.Count(kind, importing.Refused, "malformed, without a name, or listed twice: "+l.Type, where)
			}
		}
		return nil
	})
}

// add adds a line. known is false for a type that is unknown, ok for a malformed line.
func (x *index) add(l *line) (known, ok bool) {
	switch l.Type {
	case "team":
		var t teamLine
		if ok = decode(l.Team, &t) && t.Name != ""; ok {
			x.teams = append(x.teams, t)
		}
	case "channel":
		c := &channelLine{}
		ok = decode(l.Channel, c) && c.Name != "" && c.Team != "" && (c.Type == "O" || c.Type == "P") &&
			insert(x.channels, channelKey(c.Team, c.Name), c, &x.order.channels)
	case "user":
		u := &userLine{}
		ok = decode(l.User, u) && u.Username != "" && insert(x.users, personKey(u.Username), u, &x.order.users)
	case "bot":
		b := &botLine{}
		ok = decode(l.Bot, b) && b.Username != "" && insert(x.bots, personKey(b.Username), b, &x.order.bots)
	case "emoji":
		e := &emojiLine{}
		ok = decode(l.Emoji, e) && e.Name != "" && insert(x.emoji, e.Name, e, &x.order.emoji)
	case "direct_channel":
		c := &directChannelLine{}
		if ok = decode(l.DirectChannel, c); ok {
			for _, p := range c.Participants.All {
				c.Members = append(c.Members, p.Username)
			}
			key := directKey(c.Members)
			ok = key != ""
			x.direct[key] = c
			for _, p := range c.Participants.All {
				x.viewed(key, p.Username, p.LastViewedAt)
			}
		}
	default:
		return false, false
	}
	return true, ok
}

func insert[K comparable, V any](all map[K]V, k K, v V, order *[]K) bool {
	if _, twice := all[k]; twice {
		return false
	}
	all[k] = v
	*order = append(*order, k)
	return true
}

func decode(text json.RawMessage, to any) bool {
	return len(text) > 0 && string(text) != "null" && importing.Decode(text, to) == nil
}

// personKey returns the key of a person. Usernames are compared case-insensitively.
func personKey(username string) importing.Key {
	return importing.Key(strings.ToLower(strings.TrimSpace(importing.CleanText(username))))
}

func personKeys(usernames []string) []importing.Key {
	var all []importing.Key
	for _, u := range usernames {
		if k := personKey(u); k != "" {
			all = append(all, k)
		}
	}
	return importing.Keys(all, nil)
}

func channelKey(team, name string) importing.Key {
	return importing.Key(strings.ToLower(importing.CleanText(team + "/" + name)))
}

// directKey returns the key of a direct conversation: its members, sorted.
func directKey(members []string) importing.Key {
	var names []string
	for _, k := range personKeys(members) {
		names = append(names, string(k))
	}
	return importing.Key(strings.Join(names, ","))
}

// chooseTeam chooses the team to be imported.
func (s *source) chooseTeam() error {
	var names []string
	for _, t := range s.teams {
		names = append(names, t.Name)
		if want := s.Options.Workspace; want != "" && (strings.EqualFold(t.Name, want) || t.DisplayName == want) {
			s.team = t
		}
	}
	slices.Sort(names)
	list := strings.Join(names, ", ")
	switch {
	case len(s.teams) == 0:
		return importing.Unusable("the archive contains no team, so it is incomplete; needed is %s", wanted)
	case s.Options.Workspace != "" && s.team.Name == "":
		return importing.Unusable("the archive does not contain the team %.60q; it contains %.1000s", s.Options.Workspace,
			list)
	case s.team.Name != "":
	case len(s.teams) > 1:
		return importing.Unusable("the archive contains several teams; choose one with --team: %.1000s", list)
	default:
		s.team = s.teams[0]
	}
	for _, name := range names {
		if !s.ours(name) {
			s.Report.Count(importing.Realms, importing.Skipped, "another team", name)
		}
	}
	s.readMemberships()
	return nil
}

// readMemberships notes when people have last viewed the channels of the team.
func (s *source) readMemberships() {
	for _, k := range s.order.users {
		for _, t := range s.users[k].Teams.All {
			for _, c := range t.Channels.All {
				s.viewed(channelKey(t.Name, c.Name), s.users[k].Username, c.LastViewedAt)
			}
		}
	}
	for _, k := range slices.Sorted(maps.Keys(s.views)) {
		s.views[k].sort()
	}
}

// role returns the highest role of those that a user has on the server and in the team.
func (s *source) role(u *userLine) user.Role {
	roles := strings.Fields(u.Roles)
	for _, t := range u.Teams.All {
		if strings.EqualFold(t.Name, s.team.Name) {
			roles = append(roles, strings.Fields(t.Roles)...)
		}
	}
	role := user.Member
	for _, r := range roles {
		switch {
		case r == "system_admin":
			return user.Owner
		case r == "team_admin":
			role = user.Admin
		case strings.HasSuffix(r, "_guest") && role == user.Member:
			role = user.Guest
		}
	}
	return role
}
