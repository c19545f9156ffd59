package imports_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stoachat/stoa/domain/picture"
)

// peculiarMattermost is an export of Mattermost with everything that such exports are known to contain.
func peculiarMattermost(t *testing.T, c *community) files {
	t.Helper()
	f := mattermostArchive(c, 0)
	all := f["import.jsonl"].(lines)
	all[0] = json.RawMessage(`{"type":"version","version":1,"info":{"generator":"mattermost-server","version":"9.5.0"}}`)
	records := strings.ReplaceAll(strings.TrimSpace(mattermostDirectory+mattermostPosts), "\n\t", "")
	for line := range strings.SplitSeq(records, "\n") {
		if json.Valid([]byte(line)) {
			all = append(all, json.RawMessage(line))
		} else {
			all = append(all, line) // malformed on purpose
		}
	}
	long := strings.Repeat("long text ", 2500)
	all = append(all, json.RawMessage(`{"type":"post","post":{"team":"acme","channel":"odd","user":"person.0","message":"`+
		long+`","create_at":1716379390000}}`), json.RawMessage(`{"type":"channel","channel":{"team":"acme","name":"wordy",`+
		`"display_name":"`+strings.Repeat("n", 80)+`","type":"O","purpose":"`+long[:255]+`","header":"`+long[:1019]+`"}}`))
	f["import.jsonl"] = all
	drawn, _ := picture.Draw(picture.Generated("parrot"))
	f["data/odd/notes.txt"], f["data/emoji/parrot.png"] = "the notes", string(drawn)
	return f
}

const mattermostDirectory = `
{"type":"scheme","scheme":{"name":"s"}}
{"type":"role","role":{"name":"r"}}
{"type":"playbook","playbook":{}}
{"type":"post","post":
{"type":
{"type":"emoji","emoji":{"name":"parrot","image":"emoji/parrot.png"}}
{"type":"emoji","emoji":{"name":"tada","image":"emoji/missing.png"}}
{"type":"emoji","emoji":{"image":"x"}}
{"type":"team","team":{"name":"other","display_name":"Other","type":"O","allow_open_invite":true}}
{"type":"channel","channel":{"team":"acme","name":"odd","display_name":"Kanal-0","type":"P","header":"now",
	"purpose":"why","deleted_at":1716379200000}}
{"type":"channel","channel":{"team":"acme","name":"town-square","display_name":"Town Square","type":"O"}}
{"type":"channel","channel":{"team":"other","name":"theirs","display_name":"Theirs","type":"O"}}
{"type":"channel","channel":{"team":"acme","name":"odd","display_name":"twice","type":"O"}}
{"type":"channel","channel":{"team":"acme","name":"untyped","display_name":"x","type":"X"}}
{"type":"user","user":{"username":"full","email":"full@example.com","first_name":"Full","last_name":"Profile",
	"nickname":"F","position":"Gardener","roles":"system_user","locale":"de","auth_service":"ldap",
	"auth_data":"uid=full","custom_status":{"emoji":"palm_tree","text":"away","expires_at":"2999-01-01T00:00:00Z"},
	"notify_props":{"mention_keys":"full,@full,garden"},"profile_image":"missing.png","teams":[{"name":"acme",
	"roles":"team_user","channels":[{"name":"odd","favorite":true,"notify_props":{"mark_unread":"mention"},
	"last_viewed_at":1716379330000,"urgend_mention_count":1},{"name":"absent"},7]},{"name":"other",
	"channels":[{"name":"theirs"}]}]}}
{"type":"user","user":{"username":"elsewhere","email":"elsewhere@example.com","teams":null}}
{"type":"user","user":{"username":"writer","email":"writer@example.com","teams":null}}
{"type":"user","user":{"username":"nomail","teams":[{"name":"acme"}]}}
{"type":"user","user":{"username":"guest","email":"guest@example.com","roles":"system_guest","teams":[{"name":"acme",
	"roles":"team_guest"}]}}
{"type":"user","user":{"username":"double","email":"PERSON3@example.com","teams":[{"name":"acme"}]}}
{"type":"user","user":{"username":"full","email":"twice@example.com"}}
{"type":"user","user":{"email":"unnamed@example.com"}}
{"type":"bot","bot":{"username":"robot","display_name":"Robot","owner":"full","description":"beeps"}}
{"type":"bot","bot":{"username":"plugin","owner":"playbooks","delete_at":5}}
{"type":"direct_channel","direct_channel":{"members":["full","full"],"header":"mine"}}
{"type":"direct_channel","direct_channel":{"participants":[{"username":"full",
	"last_viewed_at":1716379330000},{"username":"writer"}],"favorited_by":["full"]}}
{"type":"direct_channel","direct_channel":{"members":[]}}
`

const mattermostPosts = `
{"type":"post","post":{"team":"acme","channel":"odd","user":"full","message":"a root","create_at":1716379300000,
	"is_pinned":true,"thread_followers":[{"user":"full","last_viewed":1716379301000}],"replies":[{"user":"writer",
	"message":"a reply","create_at":1716379302000,"flagged_by":["full"]},{"user":"writer",
	"message":"of the same time","create_at":1716379302000},{"user":"writer","message":"timeless",
	"create_at":-1},7]}}
{"type":"post","post":{"team":"acme","channel":"odd","user":"full","type":"me","message":"*waves*",
	"props":{"message":"waves"},"create_at":1716379303000}}
{"type":"post","post":{"team":"acme","channel":"odd","user":"full","type":"system_join_channel",
	"message":"full joined","create_at":1716379304000}}
{"type":"post","post":{"team":"acme","channel":"odd","user":"full","type":"system_header_change",
	"message":"full updated the header","create_at":1716379305000}}
{"type":"post","post":{"team":"acme","channel":"odd","user":"full","type":"custom_calls","message":"",
	"props":{"title":"Call"},"create_at":1716379306000}}
{"type":"post","post":{"team":"acme","channel":"odd","user":"full","type":"custom_run_update","message":"an update",
	"create_at":1716379307000}}
{"type":"post","post":{"team":"acme","channel":"odd","user":"full","type":"burn_on_read","message":"of a new type",
	"create_at":1716379308000}}
{"type":"post","post":{"team":"acme","channel":"odd","user":"robot","type":"slack_attachment","message":"",
	"props":{"from_webhook":"true","override_username":"Hook","override_icon_url":"https://example.com/i",
	"attachments":[{"title":"T","text":"t","fields":[{"title":"A","value":1,"short":true}],
	"actions":[{"name":"Go"}]},7]},"create_at":1716379309000}}
{"type":"post","post":{"team":"acme","channel":"odd","user":"full",
	"message":"edited @full. @nobody ~odd ~nowhere @all #tag :parrot: :nope: ![i](https://example.com/i.png)",
	"edit_at":1716379311000,"create_at":1716379310000,"reactions":[{"user":"writer","emoji_name":"parrot",
	"create_at":1},{"user":"unknown","emoji_name":"tada","create_at":1},{"user":"writer",
	"emoji_name":"partyparrot","create_at":1},7]}}
{"type":"post","post":{"team":"acme","channel":"odd","user":"full","message":"files","create_at":1716379312000,
	"attachments":[{"path":"odd/notes.txt"},{"path":"/srv/data/odd/notes.txt"},{"path":"../../etc/passwd"},{"path":"
	gone.txt"},7]}}
{"type":"post","post":{"team":"acme","channel":"odd","user":"unlisted","message":"by somebody unknown",
	"create_at":1716379313000}}
{"type":"post","post":{"team":"acme","channel":"odd","user":"full","message":"   ","create_at":1716379314000}}
{"type":"post","post":{"team":"acme","channel":"odd","user":"full","message":"equal","create_at":1716379315000}}
{"type":"post","post":{"team":"acme","channel":"odd","user":"full","message":"times","create_at":1716379315000}}
{"type":"post","post":{"team":"acme","channel":"odd","user":"full","message":"equal","create_at":1716379315000}}
{"type":"post","post":{"team":"acme","channel":"odd","user":"","message":"by nobody","create_at":1716379316000}}
{"type":"post","post":{"team":"acme","channel":"nowhere","user":"full","message":"in no channel",
	"create_at":1716379317000}}
{"type":"post","post":{"team":"other","channel":"theirs","user":"full","message":"of another team",
	"create_at":1716379318000}}
{"type":"post","post":{"team":"acme","channel":"odd","user":"full","message":"timeless","create_at":"never"}}
{"type":"post","post":{"team":"acme","channel":"odd","user":"full","message":"of the future",
	"create_at":9999999999000}}
{"type":"post","post":{"team":"acme","channel":"odd","user":"full","message":"before 1970","create_at":-1}}
{"type":"post","post":null}
{"type":"direct_post","direct_post":{"channel_members":["full","full"],"user":"full","message":"a note",
	"create_at":1716379320000,"is_pinned":true}}
{"type":"direct_post","direct_post":{"channel_members":["full","writer","person.0"],"user":"writer",
	"message":"in a conversation that is not listed","create_at":1716379321000,"replies":[{"user":"full",
	"message":"yes","create_at":1716379322000}]}}
{"type":"direct_post","direct_post":{"channel_members":[],"user":"writer","message":"to nobody",
	"create_at":1716379323000}}
`
