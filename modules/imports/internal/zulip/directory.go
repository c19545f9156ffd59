package zulip

import (
	"cmp"
	"context"
	"encoding/json"
	"path"
	"slices"
	"strings"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/importing"
	"github.com/stoachat/stoa/domain/topic"
	"github.com/stoachat/stoa/domain/user"
)

// Scan implements importing.Source.
func (s *source) Scan(ctx context.Context) (*importing.Directory, error) {
	r := s.realms[0]
	d := &importing.Directory{
		Realm: importing.Realm{
			Name: r.Name, Description: r.Description, Created: r.Created.Time,
			Announce: key(cmp.Or(r.Announcements, r.Notifications)), Settings: r.settings(),
		},
		Rows: s.copied,
	}
	avatars, err := s.images(ctx, "avatars")
	if err != nil {
		return nil, err
	}
	for _, u := range s.users {
		d.People = append(d.People, s.person(u, avatars))
	}
	for _, b := range s.robots {
		name, _, _ := strings.Cut(b.Email, "@")
		if name != user.WelcomeBot && name != user.EmailGatewayBot {
			name = user.NotificationBot
		}
		d.People = append(d.People, importing.Person{Key: key(b.ID), Name: name, System: name})
	}
	periods, err := s.history(ctx)
	if err != nil {
		return nil, err
	}
	s.scanChannels(d, periods)
	s.scanGroups(d)
	s.scanEmoji(d)
	for _, f := range s.fields {
		one := importing.Field{Key: key(f.ID), Type: f.Type, Name: f.Name, Hint: f.Hint}
		if json.Valid([]byte(f.Data)) {
			one.Data = json.RawMessage(f.Data)
		}
		d.Fields = append(d.Fields, one)
	}
	for _, t := range s.topics {
		if topic.CheckVisibility(topic.Visibility(t.Policy)) != nil {
			s.Report.Count(importing.Policies, importing.Refused, "an unknown policy", t.Topic)
			continue
		}
		at := t.Updated.Time
		if at.IsZero() {
			at = t.Muted.Time
		}
		d.Policies = append(d.Policies, importing.TopicPolicy{
			Person: key(t.User), Channel: key(t.Stream), Topic: importing.CleanText(t.Topic),
			Policy: topic.Visibility(t.Policy), At: at,
		})
	}
	return d, nil
}

// settings returns the settings of the organization that have the same names here.
func (r realmRow) settings() json.RawMessage {
	all := map[string]any{}
	for name, on := range map[string]*bool{
		"realm_invite_required": r.InviteRequired, "realm_mandatory_topics": r.MandatoryTopics,
		"realm_send_welcome_emails": r.SendWelcomeEmails, "realm_emails_restricted_to_domains": r.EmailsRestricted,
		"realm_allow_message_editing": r.AllowEditing, "realm_name_changes_disabled": r.NameChangesDisabled,
		"realm_email_changes_disabled": r.EmailChangesDisabled, "realm_avatar_changes_disabled": r.AvatarChangesDisabled,
	} {
		if on != nil {
			all[name] = *on
		}
	}
	if r.DefaultLanguage != "" {
		all["realm_default_language"] = r.DefaultLanguage
	}
	if r.WaitingPeriod != nil {
		all["realm_waiting_period_threshold"] = *r.WaitingPeriod
	}
	text, err := json.Marshal(all)
	if err != nil {
		return nil
	}
	return text
}

func (s *source) person(u userRow, avatars map[int64]*importing.File) importing.Person {
	p := importing.Person{
		Key: key(u.ID), Email: cmp.Or(u.DeliveryEmail, u.Email), Name: u.Name, Role: user.Role(u.Role),
		Inactive: !u.Active || u.Dummy, Joined: u.Joined.Time, Fields: s.values[u.ID], Words: s.words[u.ID],
		Identities: s.identities[u.ID],
	}
	if !p.Role.Valid() {
		p.Role = user.Member
	}
	if u.Bot {
		p.Bot, p.Owner = user.BotType(max(1, u.BotType)), key(u.BotOwner)
	}
	if u.AvatarSource == "U" {
		p.Avatar = avatars[u.ID]
	}
	if st, ok := s.statuses[u.ID]; ok {
		p.Status, p.StatusFor = importing.CleanText(st.Text), st.Emoji
	}
	settings := map[string]any{}
	if u.Timezone != "" {
		settings["timezone"] = u.Timezone
	}
	if u.Language != "" {
		settings["default_language"] = u.Language
	}
	if u.FullDay != nil {
		settings["twenty_four_hour_time"] = *u.FullDay
	}
	if u.EnterSends != nil {
		settings["enter_sends"] = *u.EnterSends
	}
	if len(settings) > 0 {
		p.Settings, _ = json.Marshal(settings) // text and bools
	}
	return p
}

func (s *source) scanChannels(d *importing.Directory, periods readable) {
	known := map[int64]bool{}
	for _, c := range s.streams {
		known[c.ID] = true
		one := importing.Channel{
			Key: key(c.ID), Name: c.Name, Creator: key(c.Creator), Created: c.Created.Time, Private: c.Private,
			WebPublic: c.WebPublic && !c.Private, Archived: c.Deactivated, Default: s.defaults[c.ID],
			Protected: c.protected(),
		}
		var rest string
		if one.Description, rest = importing.Describe(channel.MaxDescription, c.Description); rest != "" {
			one.Loss = &importing.Loss{Reason: "the description is too long; cut", Where: "#" + c.Name + ": … " + rest}
		}
		d.Channels = append(d.Channels, one)
	}
	for _, sub := range s.subscriptions {
		r, ok := s.recipients[sub.Recipient]
		switch {
		case !ok || r.Type == streamType && !known[r.TypeID]:
			s.Report.Count(importing.Subscriptions, importing.Refused, "to a channel that is not in the archive",
				itoa(sub.Recipient))
		case r.Type != streamType:
			s.Report.Count(importing.Subscriptions, importing.Imported, "", "") // it makes a direct conversation
		default:
			d.Subscriptions = append(d.Subscriptions, importing.Subscription{
				Person: key(sub.User), Channel: key(r.TypeID), Former: sub.Active != nil && !*sub.Active, Muted: sub.Muted,
				Pinned: sub.Pinned, Color: sub.Color, Periods: periods[r.TypeID][sub.User],
			})
		}
	}
}

// groupKey returns the key of a group. It is no number, because groups with small numbers are those of the system here.
func groupKey(id int64) importing.Key { return "group-" + key(id) }

func (s *source) scanGroups(d *importing.Directory) {
	custom := map[int64]bool{}
	for i, g := range s.groups {
		if named, ok := s.named[g.ID]; ok {
			named.ID = g.ID
			s.groups[i] = named
		}
		g = s.groups[i]
		custom[g.ID] = g.Name != "" && !g.System && !strings.HasPrefix(g.Name, "role:")
	}
	for _, g := range s.groups {
		if !custom[g.ID] {
			s.Report.Count(importing.Groups, importing.Skipped, "of the system, or the value of a permission",
				cmp.Or(g.Name, itoa(g.ID)))
			continue
		}
		one := importing.Group{
			Key: groupKey(g.ID), Name: g.Name, Description: g.Description, Creator: key(g.Creator), Created: g.Created.Time,
			Members: s.groupMembers[g.ID], Inactive: g.Deactivated,
		}
		for _, sub := range s.subgroups[g.ID] {
			if !custom[sub] {
				one.Loss = &importing.Loss{Reason: "has a group of the system as a member, which is left out", Where: g.Name}
				continue
			}
			one.Subgroups = append(one.Subgroups, groupKey(sub))
		}
		d.Groups = append(d.Groups, one)
	}
}

func (s *source) scanEmoji(d *importing.Directory) {
	files := map[string]string{}
	for _, name := range s.Archive.Names() {
		if strings.HasPrefix(name, "emoji/") && name != "emoji/records.json" {
			files[strings.TrimSuffix(path.Base(name), ".original")] = name
		}
	}
	active := map[string]bool{}
	for _, e := range slices.Backward(s.emoji) {
		name, ok := files[path.Base(e.File)]
		if !ok {
			s.Report.Count(importing.Emojis, importing.Refused, "its image is missing in the archive", e.Name)
			continue
		}
		one := importing.Emoji{
			Key: key(e.ID), Name: importing.EmojiName(e.Name, func(string) bool { return false }), Author: key(e.Author),
			Image: &importing.File{Name: path.Base(e.File), Path: name}, Inactive: e.Deactivated || active[e.Name],
		}
		active[e.Name] = active[e.Name] || !one.Inactive
		d.Emoji = append(d.Emoji, one)
	}
}
