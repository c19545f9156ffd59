package imports_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/domain/picture"
)

// pictures are archives with an avatar, a custom emoji, in a message and as a reaction, and an image that is none.
func pictures() map[string]map[string]string {
	drawn, _ := picture.Draw(picture.Generated("ada"))
	png := string(drawn)
	return map[string]map[string]string{
		"mattermost": {"data/ada.png": png, "data/party.png": png, "data/bad.png": "none", "import.jsonl": `{"type":"version","version":1}
{"type":"emoji","emoji":{"name":"party-parrot","image":"party.png"}}
{"type":"emoji","emoji":{"name":"broken","image":"bad.png"}}
{"type":"team","team":{"name":"acme","display_name":"Acme"}}
{"type":"channel","channel":{"team":"acme","name":"garden","display_name":"garden","type":"O"}}
{"type":"user","user":{"username":"ada","email":"ada@example.com","profile_image":"ada.png",` +
			`"roles":"system_user system_admin","teams":[{"name":"acme","channels":[{"name":"garden"}]}]}}
{"type":"post","post":{"team":"acme","channel":"garden","user":"ada","message":"so :party-parrot:","create_at":1716379201000,` +
			`"reactions":[{"user":"ada","emoji_name":"party-parrot","create_at":1716379201500}]}}
`},
		"zulip": {
			"avatars/1/abc.png": png, "emoji/1/emoji/images/7.png": png, "emoji/1/emoji/images/8.png": "none",
			"avatars/records.json": `[{"path":"1/abc.png","s3_path":"abc.original","user_profile_id":11}]`,
			"realm.json": `{"zerver_realm":[{"id":1,"string_id":"acme","name":"Acme"}],
			"zerver_userprofile":[{"id":11,"delivery_email":"ada@example.com","full_name":"Ada","role":100,"is_active":true,
			"avatar_source":"U","date_joined":1800000000}],
			"zerver_realmemoji":[{"id":7,"name":"party-parrot","file_name":"7.png","author":11},
			{"id":8,"name":"broken","file_name":"8.png","author":11}],
			"zerver_stream":[{"id":21,"name":"garden","date_created":1716379200}],
			"zerver_recipient":[{"id":33,"type":2,"type_id":21}],
			"zerver_subscription":[{"user_profile":11,"recipient":33,"active":true}],
			"zerver_reaction":[{"user_profile":11,"message":41,"emoji_name":"party-parrot","emoji_code":"7",
			"reaction_type":"realm_emoji"}]}`,
			"messages-000001.json": `{"zerver_message":[{"id":41,"sender":11,"recipient":33,"subject":"x",
			"content":"so :party-parrot:","date_sent":1716379201.0}],"zerver_usermessage":[]}`,
		},
	}
}

// Avatars and custom emoji are imported with their images; bad ones are counted. People joined no later than they wrote
// their first message.
func TestPictures(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		s := start(t, url)
		for program, files := range pictures() {
			flags := map[string]any{"Archive": write(t, files), "Realm": "my-" + program}
			var before string
			for range 2 {
				r, err := s.command(t.Context(), "import "+program, flags)
				if err != nil {
					t.Fatalf("%s: %v", program, err)
				}
				now := s.shownPictures(r, "my-"+program)
				if before != "" && now != before {
					t.Errorf("%s: after the second import %s, want %s", program, now, before)
				}
				before = now
				for _, c := range r.Counts {
					if got := fmt.Sprint(c); c.Kind == "avatars" && got != "{avatars 1 0 0 0}" ||
						c.Kind == "custom emoji" && got != "{custom emoji 1 0 0 1}" {
						t.Errorf("%s: %s", program, got)
					}
				}
			}
		}
	})
}

// shownPictures checks how an avatar and an emoji are shown, and returns their addresses.
func (s *server) shownPictures(r result, subdomain string) string {
	s.t.Helper()
	ada := s.at(r, subdomain, "ada")
	var me struct {
		Avatar string `json:"avatar_url"`
		Joined string `json:"date_joined"`
	}
	ada.Do("GET /users/me").OK().JSON(&me)
	if !strings.HasPrefix(me.Joined, "2024-05-22") {
		s.t.Errorf("%s: joined at %s", subdomain, me.Joined)
	}
	var emoji struct {
		Emoji map[string]struct {
			Name   string
			Source string `json:"source_url"`
		}
	}
	ada.Do("GET /realm/emoji").OK().JSON(&emoji)
	shown := me.Avatar
	for _, e := range emoji.Emoji {
		shown += " " + e.Name + " " + e.Source
		text := ada.Do("GET /messages", "anchor", "newest", "num_before", "9", "num_after", "0").OK().Body
		if e.Name != "party-parrot" || !strings.Contains(text, `src=\"`+e.Source) ||
			!strings.Contains(text, `"reaction_type":"realm_emoji"`) {
			s.t.Errorf("%s: %s does not show %+v", subdomain, text, e)
		}
		for _, address := range []string{me.Avatar, e.Source} {
			if got := ada.Under("").Do("GET " + strings.Split(address, "?")[0]); got.Status != 200 {
				s.t.Errorf("%s: %s has status %d", subdomain, address, got.Status)
			}
		}
	}
	return shown
}
