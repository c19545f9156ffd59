package imports_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
)

// exported contains a small archive of each program, with the same people and messages.
var exported = map[string]map[string]string{
	"slack": {
		"users.json": `[{"id":"U1","name":"ada","is_owner":true,"is_primary_owner":true,"profile":{"real_name":"Ada",
			"email":"ada@example.com","title":"gardener","status_text":"out","status_emoji":":tada:"}},
			{"id":"U2","name":"ben","profile":{"real_name":"Ben","email":"ben@example.com"}}]`,
		"channels.json": `[{"id":"C1","name":"garden","is_general":true,"members":["U1","U2"],"created":1716379200}]`,
		"dms.json":      `[{"id":"D1","members":["U1","U2"],"created":1716379200}]`,
		"garden/2024-05-22.json": `[{"type":"message","user":"U1","text":"hello <@U2>","ts":"1716379201.000100",
			"reactions":[{"name":"tada","users":["U2"],"count":1}]},
			{"type":"message","user":"U2","text":"when?","ts":"never"}]`,
		"D1/2024-05-22.json": `[{"type":"message","user":"U2","text":"in private","ts":"1716379202.000100"}]`,
	},
	"mattermost": {"import.jsonl": `{"type":"version","version":1,"info":{"generator":"mattermost-server"}}
{"type":"team","team":{"name":"acme","display_name":"Acme"}}
{"type":"channel","channel":{"team":"acme","name":"garden","display_name":"garden","type":"O"}}
{"type":"user","user":{"username":"ada","email":"ada@example.com","first_name":"Ada","position":"gardener",` +
		`"custom_status":{"text":"out","emoji":"tada"},"roles":"system_user system_admin","teams":[{"name":"acme","channels":[{"name":"garden"}]}]}}
{"type":"user","user":{"username":"ben","email":"ben@example.com","first_name":"Ben","roles":"system_user",` +
		`"teams":[{"name":"acme","channels":[{"name":"garden"}]}]}}
{"type":"direct_channel","direct_channel":{"members":["ada","ben"]}}
{"type":"post","post":{"team":"acme","channel":"garden","user":"ada","message":"hello @ben","create_at":1716379201000,` +
		`"reactions":[{"user":"ben","emoji_name":"tada","create_at":1716379201500}]}}
{"type":"post","post":{"team":"acme","channel":"garden","user":"ben","message":"when?","create_at":"never"}}
{"type":"direct_post","direct_post":{"channel_members":["ada","ben"],"user":"ben","message":"in private",` +
		`"create_at":1716379202000}}
`},
	"zulip": {
		"realm.json": `{"zerver_realm":[{"id":1,"string_id":"acme","name":"Acme","invite_required":false}],
			"zerver_userprofile":[
			{"id":11,"delivery_email":"ada@example.com","full_name":"Ada","role":100,"is_active":true},
			{"id":12,"delivery_email":"ben@example.com","full_name":"Ben","role":400,"is_active":true}],
			"zerver_userprofile_crossrealm":[{"id":5,"email":"notification-bot@zulip.com","recipient_id":9}],
			"zerver_stream":[{"id":21,"name":"garden","date_created":1716379200}],
			"zerver_recipient":[{"id":31,"type":1,"type_id":11},{"id":32,"type":1,"type_id":12},
			{"id":33,"type":2,"type_id":21}],
			"zerver_subscription":[{"user_profile":11,"recipient":33,"active":true},
			{"user_profile":12,"recipient":33,"active":true}],
			"zerver_customprofilefield":[{"id":3,"field_type":1,"name":"Position"}],
			"zerver_customprofilefieldvalue":[{"user_profile":11,"field":3,"value":"gardener"}],
			"zerver_reaction":[{"user_profile":12,"message":41,"emoji_name":"tada","emoji_code":"1f389",
			"reaction_type":"unicode_emoji"}]}`,
		"messages-000001.json": `{"zerver_message":[
			{"id":41,"sender":11,"recipient":33,"subject":"x","content":"hello @**Ben|12**","date_sent":1716379201.0001},
			{"id":42,"sender":12,"recipient":33,"subject":"x","content":"when?","date_sent":"never"},
			{"id":43,"sender":12,"recipient":31,"subject":"","content":"in private","date_sent":1716379202.0}],
			"zerver_usermessage":[]}`,
		"attachment.json": `{"zerver_attachment":[]}`,
	},
}

// The archives of other programs are imported, with one bad record in each, and can be imported again.
func TestPrograms(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		s := start(t, url)
		for program, files := range exported {
			dir := write(t, files)
			flags := map[string]any{"Archive": dir, "Realm": "my-" + program}
			r, err := s.command(t.Context(), "import "+program, flags)
			if err != nil {
				t.Fatalf("%s: %v", program, err)
			}
			before := s.conversations(r, program)
			if want := "Ada: hello @**Ben|ID** :tada:, Ben: in private"; before != want {
				t.Errorf("%s: %s, want %s", program, before, want)
			}
			if about := s.about(r, program); about != described[program] {
				t.Errorf("%s: %s, want %s", program, about, described[program])
			}
			refused := 0
			for _, c := range r.Counts {
				if c.Kind == "messages" {
					refused = c.Refused
				}
			}
			if refused != 1 {
				t.Errorf("%s: %d messages were refused: %+v", program, refused, r.Reasons)
			}
			if _, err := s.command(t.Context(), "import "+program, flags); err != nil {
				t.Fatalf("%s again: %v", program, err)
			}
			if after := s.conversations(r, program); after != before {
				t.Errorf("%s: after the second import %s, want %s", program, after, before)
			}
		}
	})
}

// described contains what about returns.
var described = map[string]string{
	"slack":      "Imported, by invitation: true, gardener: true, tada: true",
	"mattermost": "Acme, by invitation: true, gardener: true, tada: true",
	"zulip":      "Acme, by invitation: false, gardener: true, tada: false",
}

// about describes an imported organization, Ada's profile and her status.
func (s *server) about(r result, program string) string {
	s.t.Helper()
	v, err := s.Ports.Directory.Verified(s.t.Context(), r.Realm)
	if err != nil {
		s.t.Fatal(err)
	}
	ada := v.UserByEmail("ada@example.com").ID
	c := s.at(r, "my-"+program, "ada")
	profile := c.Do(fmt.Sprintf("GET /users/%d", ada), "include_custom_profile_fields", "true").OK().Body
	status := c.Do(fmt.Sprintf("GET /users/%d/status", ada)).OK().Body
	return fmt.Sprintf("%s, by invitation: %v, gardener: %v, tada: %v", v.Realm().Settings.Name,
		v.Realm().Settings.InviteRequired, strings.Contains(profile, `:"gardener"`),
		strings.Contains(status, `"tada"`))
}

// conversations describes what Ada reads in an imported organization.
func (s *server) conversations(r result, program string) string {
	s.t.Helper()
	var found struct {
		Messages []struct {
			ID        int64
			Content   string
			Sender    string `json:"sender_full_name"`
			Reactions []struct {
				Name string `json:"emoji_name"`
			}
		}
	}
	s.at(r, "my-"+program, "ada").Do("GET /messages", "anchor", "newest", "num_before", "9", "num_after", "0",
		"apply_markdown", "false").OK().JSON(&found)
	var all []string
	for _, m := range found.Messages {
		text := m.Sender + ": " + mentionID.ReplaceAllString(m.Content, "|ID**")
		for _, x := range m.Reactions {
			text += fmt.Sprintf(" :%s:", x.Name)
		}
		all = append(all, text)
	}
	return strings.Join(all, ", ")
}

// topics returns the topics of a channel of an imported organization, sorted.
func (s *server) topics(r result, subdomain, channel string) string {
	s.t.Helper()
	v, err := s.Ports.Directory.Verified(s.t.Context(), r.Realm)
	if err != nil {
		s.t.Fatal(err)
	}
	var found struct{ Topics []struct{ Name string } }
	s.at(r, subdomain, "ada").Do(fmt.Sprintf("GET /users/me/%d/topics", v.ChannelByName(channel).ID)).OK().JSON(&found)
	var all []string
	for _, x := range found.Topics {
		all = append(all, x.Name)
	}
	slices.Sort(all)
	return strings.Join(all, ", ")
}
