package engine

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/stoachat/stoa/domain/importing"
	"github.com/stoachat/stoa/domain/message"
)

// The tables of what belongs to people.
const (
	fieldsTable     = "profile_fields"
	profilesTable   = "user_profiles"
	statusesTable   = "user_statuses"
	identitiesTable = "external_identities"
)

// maxStatus is the maximum length of a status, in code points.
const maxStatus = 60

// fieldOfPeople is the type of profile fields whose values are lists of people.
const fieldOfPeople = 6

// planRealm makes a row of the organization, unless the source made it.
func (t *task) planRealm() {
	for _, r := range t.scan.Rows {
		if r.Table == realmsTable {
			return
		}
	}
	given := map[string]json.RawMessage{}
	if len(t.scan.Realm.Settings) > 0 {
		if err := json.Unmarshal(t.scan.Realm.Settings, &given); err != nil {
			t.report.Count(importing.Realms, importing.Refused, "its settings are malformed", "")
		}
	}
	settings := map[string]any{}
	for name, value := range given {
		settings[strings.TrimPrefix(name, "realm_")] = value
	}
	settings["name"], settings["description"] = t.realmName(), importing.CleanText(t.scan.Realm.Description)
	settings["new_stream_announcements_stream_id"] = t.number(channelsTable, t.scan.Realm.Announce)
	t.add(realmsTable, map[string]any{"id": 1, "settings": settings})
}

// planFields makes rows of the profile fields.
func (t *task) planFields() {
	for i, f := range t.scan.Fields {
		line := map[string]any{
			"id": t.number(fieldsTable, f.Key), "type": f.Type, "position": i, "name": importing.Shorten(f.Name, 40),
			"hint": importing.Shorten(f.Hint, 80), "editable": true,
		}
		if len(f.Data) > 0 {
			line["data"] = f.Data
		}
		t.add(fieldsTable, line)
	}
}

// planProfile makes rows of what belongs to a person.
func (t *task) planProfile(p *importing.Person) {
	u := t.number(usersTable, p.Key)
	for _, w := range p.Words {
		t.add(wordsTable, map[string]any{"user_id": u, "word": w})
	}
	values := map[string]any{}
	for _, f := range t.scan.Fields {
		text, ok := p.Fields[f.Key]
		if !ok || text == "" {
			continue
		}
		var value any = text
		if f.Type == fieldOfPeople {
			value = t.peopleIn(text)
		}
		values[fmt.Sprint(t.number(fieldsTable, f.Key))] = value
	}
	if len(values) > 0 {
		t.add(profilesTable, map[string]any{"user_id": u, "said": values})
	}
	t.planStatus(u, p)
	for _, x := range p.Identities {
		now := t.Clock.Now().UTC()
		t.add(identitiesTable, map[string]any{
			"id":      t.number(identitiesTable, importing.Key("of "+x.Provider+"/"+x.Subject)),
			"user_id": u, "provider": x.Provider, "subject": x.Subject, "created_at": now, "used_at": now,
		})
	}
}

// peopleIn returns the numbers of the people in the value of a field, which is a list of their keys.
func (t *task) peopleIn(text string) []int64 {
	var keys []json.Number
	out := []int64{}
	if json.Unmarshal([]byte(text), &keys) == nil {
		for _, k := range keys {
			out = append(out, t.number(usersTable, t.person(importing.Key(k))))
		}
	}
	return out
}

func (t *task) planStatus(u int64, p *importing.Person) {
	if p.Status == "" && p.StatusFor == "" {
		return
	}
	line := map[string]any{"user_id": u, "text": importing.Shorten(p.Status, maxStatus)}
	if code, ok := t.Emoji.Code(p.StatusFor); ok {
		line["emoji_name"], line["emoji_code"], line["emoji_type"] = p.StatusFor, code, message.UnicodeEmoji
	}
	t.add(statusesTable, line)
}
