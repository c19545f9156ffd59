package engine

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/group"
	"github.com/stoachat/stoa/domain/importing"
	"github.com/stoachat/stoa/domain/user"
)

// plan applies the rules that are the same for all sources, and makes rows of the records.
func (t *task) plan() error {
	d := t.scan
	d.People, t.same = importing.MergePeople(d.People)
	for range t.same {
		t.report.Count(importing.People, importing.Converted, "has the address of another person; both become one", "")
	}
	t.people, t.channels = map[importing.Key]bool{}, map[importing.Key]string{}
	if err := t.planRows(); err != nil {
		return err
	}
	if err := t.chooseOwner(); err != nil {
		return err
	}
	for i := range d.People {
		t.planPerson(&d.People[i])
	}
	t.planRealm()
	t.planFields()
	t.planGroups()
	t.planChannels()
	t.planSubscriptions()
	t.planPeriods()
	t.planImages()
	return nil
}

// add adds a row.
func (t *task) add(table string, line map[string]any) {
	text, err := json.Marshal(line)
	if err != nil {
		text = []byte("null") // refused later
	}
	t.scan.Rows = append(t.scan.Rows, importing.Row{Table: table, Line: text})
}

// planRows notes the people and channels of rows that the source made itself.
func (t *task) planRows() error {
	owner := false
	for _, r := range t.scan.Rows {
		if r.Table != usersTable && r.Table != channelsTable {
			continue
		}
		var one struct {
			ID     json.Number  `json:"id"`
			Name   string       `json:"name"`
			Role   user.Role    `json:"role"`
			Active bool         `json:"active"`
			Bot    user.BotType `json:"bot_type"`
		}
		if json.Unmarshal(r.Line, &one) != nil {
			continue
		}
		if r.Table == channelsTable {
			t.channels[importing.Key(one.ID)] = one.Name
			continue
		}
		t.people[importing.Key(one.ID)] = true
		owner = owner || one.Active && one.Role == user.Owner && one.Bot == user.Human
	}
	t.owned = owner
	return nil
}

// chooseOwner makes sure that the organization has an owner.
func (t *task) chooseOwner() error {
	if t.owned || t.Into {
		return nil
	}
	promoted, ok := importing.ChooseOwner(t.scan.People)
	switch {
	case promoted != "":
		t.report.Note("The archive names no active owner; the administrator %s becomes one.", promoted)
	case !ok && t.OwnerEmail == "":
		return importing.Unusable("nobody in the archive could own the organization; name somebody with --owner-email")
	case !ok:
		for i := range t.scan.People {
			if p := &t.scan.People[i]; user.EmailKey(p.Email) == user.EmailKey(t.OwnerEmail) {
				p.Role, p.Inactive = user.Owner, false
				return nil
			}
		}
		t.scan.People = append(t.scan.People, importing.Person{
			Key: "owner", Email: t.OwnerEmail, Name: local(t.OwnerEmail), Role: user.Owner, Joined: t.Clock.Now(),
		})
	}
	return nil
}

// planPerson makes a row of a person.
func (t *task) planPerson(p *importing.Person) {
	if p.Key == "" {
		t.report.Count(importing.People, importing.Refused, "has no key", p.Name)
		return
	}
	t.people[p.Key] = true
	if p.System != "" { // it exists already
		t.add(usersTable, map[string]any{
			"id": t.number(usersTable, p.Key), "delivery_email": p.System + "@server", "system": true,
		})
		return
	}
	name := importing.PersonName(p.Name)
	if name == "" {
		name = importing.PersonName("Unknown " + string(p.Key))
	}
	email, made := importing.Address(p.Email, p.Key, t.Options.EmailDomain)
	if made && p.Bot == user.Human {
		t.lose(importing.People, &importing.Loss{Reason: "has no address, and is deactivated", Where: string(p.Key)})
		p.Inactive = true
	} else {
		t.lose(importing.People, p.Loss)
	}
	role := p.Role
	if !role.Valid() {
		role = user.Member
	}
	t.undated = append(t.undated, undated{len(t.scan.Rows), "joined_at", p.Joined, t.firstBy, p.Key})
	t.add(usersTable, map[string]any{
		"id": t.number(usersTable, p.Key), "delivery_email": email, "full_name": name, "role": role, "active": !p.Inactive,
		"bot_type": p.Bot, "bot_owner": t.number(usersTable, t.person(p.Owner)),
		"avatar_source": user.Gravatar, "avatar_version": 1, "settings": orEmpty(p.Settings),
	})
	t.planProfile(p)
}

// lose counts what is lost of a record whose row will be counted as imported.
func (t *task) lose(k importing.Kind, l *importing.Loss) {
	if l != nil {
		t.report.Count(k, importing.Converted, l.Reason, l.Where)
		t.report.Add(k, importing.Imported, -1, "", "")
	}
}

func orEmpty(text json.RawMessage) json.RawMessage {
	if len(text) == 0 {
		return json.RawMessage("{}")
	}
	return text
}

// addMissing adds people who wrote something, but are in no list.
func (t *task) addMissing() error {
	for _, k := range slices.Sorted(maps.Keys(t.missing)) {
		name := importing.PlaceholderName(t.missing[k], k)
		t.planPerson(&importing.Person{Key: k, Name: name, Email: "", Inactive: true, Bot: user.Human})
	}
	switch n := len(t.missing); n {
	case 0:
	case 1:
		t.report.Note("Somebody who wrote something is in no list of the archive, and becomes a deactivated account.")
	default:
		t.report.Note("%d people who wrote something are in no list of the archive; they become deactivated accounts.", n)
	}
	return nil
}

func (t *task) planGroups() {
	names := importing.NewNames(group.MaxName, strings.ToLower)
	for _, g := range t.scan.Groups {
		there := strings.TrimLeft(g.Name, "@")
		name := importing.CleanName(cmp.Or(t.Names[g.Key], there), group.MaxName, "")
		if name == "" || g.Key == "" {
			t.report.Count(importing.Groups, importing.Refused, "has no name", string(g.Key))
			continue
		}
		description, _ := importing.Describe(group.MaxDescription, g.Description)
		t.lose(importing.Groups, g.Loss)
		unique := t.collide(importing.Groups, g.Key, there, names.Take(name))
		t.add(groupsTable, map[string]any{
			"id": t.number(groupsTable, g.Key), "name": unique, "description": description,
			"creator_id": t.number(usersTable, t.person(g.Creator)), "created_at": t.since(g.Created),
			"deactivated": g.Inactive, "permissions": map[string]any{},
		})
		for _, m := range importing.Keys(g.Members, t.same) {
			t.add(membersTable, map[string]any{
				"group_id": t.number(groupsTable, g.Key), "user_id": t.number(usersTable, m),
			})
		}
		for _, s := range g.Subgroups {
			t.add(subgroupsTable, map[string]any{
				"group_id": t.number(groupsTable, g.Key), "subgroup_id": t.number(groupsTable, s),
			})
		}
	}
}

func (t *task) since(at time.Time) time.Time {
	if at.IsZero() {
		return t.Clock.Now().UTC()
	}
	return at.UTC()
}

func (t *task) planChannels() {
	names := importing.NewNames(channel.MaxName, strings.ToLower)
	for _, c := range t.scan.Channels {
		name := importing.CleanName(cmp.Or(t.Names[c.Key], c.Name), channel.MaxName, "")
		if c.Key == "" {
			t.report.Count(importing.Channels, importing.Refused, "has no key", c.Name)
			continue
		}
		if name == "" {
			name = "channel " + string(c.Key)
		}
		unique := t.collide(importing.Channels, c.Key, c.Name, names.Take(name))
		if unique != c.Name {
			t.report.Note("The channel %q is called %q here.", c.Name, unique)
		}
		description, _ := importing.Describe(channel.MaxDescription, c.Description)
		t.channels[c.Key] = unique
		t.lose(importing.Channels, c.Loss)
		if c.Created.IsZero() {
			t.undated = append(t.undated, undated{len(t.scan.Rows), "created_at", c.Created, t.firstIn, c.Key})
		}
		t.add(channelsTable, map[string]any{
			"id": t.number(channelsTable, c.Key), "name": unique, "description": description, "rendered": "",
			"created_at": t.since(c.Created), "creator_id": t.number(usersTable, t.person(c.Creator)),
			"private": c.Private, "web_public": c.WebPublic, "history_public": !c.Protected, "topics_policy": "inherit",
			"archived": c.Archived, "is_default": c.Default && !c.Private, "permissions": map[string]any{},
		})
	}
}

// collide reports what is called otherwise here, and returns that name.
func (t *task) collide(kind importing.Kind, k importing.Key, there, here string) string {
	if there != here {
		t.report.Collide(importing.Collision{Kind: kind, Key: k, Name: there, Here: here})
	}
	return here
}

func (t *task) planSubscriptions() {
	type pair struct{ person, channel importing.Key }
	seen := map[pair]bool{}
	for _, s := range t.scan.Subscriptions {
		p := pair{t.person(s.Person), s.Channel}
		switch {
		case !t.known(p.person):
			t.report.Count(importing.Subscriptions, importing.Skipped, "of somebody who is not in the archive",
				fmt.Sprintf("%s in %s", s.Person, s.Channel))
			continue
		case seen[p]:
			t.report.Count(importing.Subscriptions, importing.Skipped, "listed twice", "")
			continue
		}
		seen[p] = true
		t.lose(importing.Subscriptions, s.Loss)
		color := s.Color
		if color == "" {
			color = "#94c849"
		}
		t.add(subscriptionsTable, map[string]any{
			"user_id": t.number(usersTable, p.person), "channel_id": t.number(channelsTable, s.Channel), "active": !s.Former,
			"color": color, "is_muted": s.Muted, "pin_to_top": s.Pinned,
		})
	}
	for _, p := range t.scan.Policies {
		t.add(policiesTable, map[string]any{
			"user_id": t.number(usersTable, t.person(p.Person)), "channel_id": t.number(channelsTable, p.Channel),
			"topic": p.Topic, "policy": p.Policy, "updated_at": t.since(p.At),
		})
	}
}
