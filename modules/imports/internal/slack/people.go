package slack

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/stoachat/stoa/domain/importing"
	"github.com/stoachat/stoa/domain/user"
)

// Keys of accounts that are in no list.
const (
	slackbot = "USLACKBOT"
	notifier = "notification-bot"
	somebody = "somebody" // wrote messages without an author
)

// person is a line of users.json.
type person struct {
	ID     text
	Team   text `json:"team_id"`
	Name   text
	Real   text `json:"real_name"`
	TZ     text
	Gone   flag            `json:"deleted"`
	First  flag            `json:"is_primary_owner"`
	Owner  flag            `json:"is_owner"`
	Admin  flag            `json:"is_admin"`
	Guest  flag            `json:"is_restricted"`
	Single flag            `json:"is_ultra_restricted"`
	Bot    flag            `json:"is_bot"`
	App    flag            `json:"is_app_user"`
	About  object[profile] `json:"profile"`

	joined time.Time // the first message
}

type profile struct {
	DisplayName  text            `json:"display_name"`
	RealName     text            `json:"real_name"`
	Email, Phone text            `json:",omitempty"`
	Title, Skype text            `json:",omitempty"`
	BotID        text            `json:"bot_id"`
	StatusText   text            `json:"status_text"`
	StatusEmoji  text            `json:"status_emoji"`
	Image        text            `json:"image_512"`
	Original     text            `json:"image_original"`
	Fields       json.RawMessage `json:"fields"`
}

func (p *person) name() string {
	about := p.About.get()
	for _, name := range []text{about.RealName, p.Real, about.DisplayName} {
		if name := strings.TrimSpace(name.s()); name != "" {
			return name
		}
	}
	return p.Name.s()
}

func (p *person) isBot() bool {
	return bool(p.Bot) || bool(p.App) || p.ID == slackbot || p.About.get().BotID != ""
}

// role returns the role of a person of a workspace.
func (p *person) role(team text) user.Role {
	switch {
	case bool(p.Guest) || bool(p.Single) || p.Team != "" && team != "" && p.Team != team:
		return user.Guest
	case bool(p.First) || bool(p.Owner):
		return user.Owner
	case bool(p.Admin):
		return user.Admin
	}
	return user.Member
}

// readPeople reads the lists of people, and the names of apps.
func (s *source) readPeople(ctx context.Context) error {
	for _, base := range s.bases {
		for _, file := range []string{"users.json", "org_users.json"} {
			if err := s.list(ctx, base+file, importing.People, s.addPerson); err != nil {
				return err
			}
		}
		err := s.list(ctx, base+"integration_logs.json", importing.Others, func(element []byte) error {
			var app struct {
				Service text `json:"service_id"`
				Bot     text `json:"bot_id"`
				Name    text `json:"service_type"`
				App     text `json:"app_type"`
			}
			if err := importing.Decode(element, &app); err != nil {
				return err
			}
			for _, id := range []text{app.Bot, app.Service} {
				if name := first(app.Name.s(), app.App.s()); id != "" && name != "" {
					s.appNames[id.s()] = name
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *source) addPerson(element []byte) error {
	p := &person{}
	if err := importing.Decode(element, p); err != nil {
		return err
	}
	if p.ID == "" {
		return errors.New("a person without an ID")
	}
	if s.people[p.ID.s()] != nil {
		return nil // of the organization and of the workspace
	}
	s.people[p.ID.s()] = p
	s.order = append(s.order, p.ID.s())
	if bot := p.About.get().BotID.s(); bot != "" {
		s.bots[bot] = p.ID.s()
	}
	return nil
}

// team returns the workspace of most people.
func (s *source) team() text {
	n := map[text]int{}
	for _, p := range s.people {
		n[p.Team]++
	}
	delete(n, "")
	var best text
	for _, t := range slices.Sorted(maps.Keys(n)) {
		if n[t] > n[best] {
			best = t
		}
	}
	return best
}

// describePeople adds people, apps, and profile fields.
func (s *source) describePeople(d *importing.Directory) {
	team := s.team()
	fields := newFields(s.fieldNames)
	var owner importing.Key
	for _, id := range s.order {
		if p := s.people[id]; !p.isBot() && !bool(p.Gone) && (bool(p.First) || bool(p.Owner) && owner == "") {
			owner = importing.Key(id)
		}
	}
	for _, id := range s.order {
		p := s.people[id]
		about := p.About.get()
		one := importing.Person{
			Key: importing.Key(id), Email: about.Email.s(), Name: p.name(), Role: p.role(team), Joined: p.joined,
			Inactive: bool(p.Gone) || p.Team != "" && p.Team != team, Settings: zone(p.TZ.s()),
			Status: about.StatusText.s(), Fields: fields.of(&about),
		}
		if name := strings.Trim(about.StatusEmoji.s(), ":"); name != "" {
			if _, ok := s.set().code(name); ok {
				one.StatusFor = name
			}
		}
		if image := first(about.Original.s(), about.Image.s()); image != "" && s.Fetch != nil {
			if path := s.address(image); path != "" {
				one.Avatar = &importing.File{Name: "avatar", Path: path}
			}
		}
		if p.isBot() {
			one.Bot, one.Owner, one.Inactive, one.Role = user.GenericBot, owner, true, user.Member
			one.Email, one.Status, one.StatusFor = "", "", ""
		}
		d.People = append(d.People, one)
	}
	for _, id := range slices.Sorted(maps.Keys(s.appNames)) {
		if _, wrote := s.bots[id]; wrote && s.bots[id] == id {
			d.People = append(d.People, importing.Person{
				Key: importing.Key(id), Name: s.appNames[id], Bot: user.GenericBot, Owner: owner, Inactive: true,
			})
		}
	}
	d.People = append(d.People, importing.Person{
		Key: notifier, Name: "Notification Bot", Bot: user.GenericBot, System: user.NotificationBot,
	})
	d.Fields = fields.list
}

// zone returns the setting for a time zone, if it exists.
func zone(name string) json.RawMessage {
	if name == "" || name == "Local" {
		return nil
	}
	if _, err := time.LoadLocation(name); err != nil {
		return nil
	}
	out, err := json.Marshal(map[string]string{"timezone": name})
	if err != nil {
		return nil
	}
	return out
}

// fields collects profile fields. Slack's own have IDs; their names are not in archives, but can be
// looked up.
type fields struct {
	list  []importing.Field
	known map[importing.Key]bool
	names map[string]string // of Slack's own, if they were looked up
}

func newFields(names map[string]string) *fields {
	return &fields{known: map[importing.Key]bool{}, names: names}
}

func (f *fields) add(to map[importing.Key]string, k importing.Key, name, value string) {
	if value = strings.TrimSpace(value); value == "" {
		return
	}
	if !f.known[k] {
		f.known[k] = true
		if name == "" {
			name = fmt.Sprintf("Slack field %d", len(f.list)+1)
		}
		f.list = append(f.list, importing.Field{Key: k, Type: 1, Name: name})
	}
	to[k] = value
}

// of returns the values of a person.
func (f *fields) of(p *profile) map[importing.Key]string {
	out := map[importing.Key]string{}
	f.add(out, "title", "Title", p.Title.s())
	f.add(out, "phone", "Phone number", p.Phone.s())
	f.add(out, "skype", "Skype", p.Skype.s())
	var own map[string]object[struct{ Value, Alt text }]
	if json.Unmarshal(p.Fields, &own) == nil {
		for _, id := range slices.Sorted(maps.Keys(own)) {
			f.add(out, importing.Key(id), f.names[id], own[id].get().Value.s())
		}
	}
	if len(out) == 0 {
		return nil
	}
	return out
}
