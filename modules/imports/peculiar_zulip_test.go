package imports_test

import (
	"strings"
	"testing"

	"github.com/stoachat/stoa/domain/picture"
)

// peculiarZulip is an export of Zulip with everything that such exports are known to contain.
func peculiarZulip(t *testing.T, c *community) files {
	t.Helper()
	f := zulipArchive(c, 0)
	tables := f["realm.json"].(object)
	for name, rows := range zulipTables {
		if tables[name] == nil {
			tables[name] = []any{}
		}
		f.add(t, "realm.json", name, rows)
	}
	f.add(t, "realm.json", "zerver_stream", `{"id":904,"name":"wordy","description":"`+strings.Repeat("long ", 300)+`"}`)
	f.add(t, "attachment.json", "zerver_attachment", `{"id":900,"owner":101,"path_id":"1/aa/key/gone.txt",
		"file_name":"gone.txt","create_time":1716379300,"messages":[900]},{"id":901,"path_id":"../../etc/passwd"}, null`)
	f.add(t, "messages-000001.json", "zerver_message", zulipMessages)
	f.add(t, "messages-000001.json", "zerver_message", `{"id":930,"sender":101,"recipient":1901,"subject":"long","content":"`+
		strings.Repeat("long text ", 2500)+`","date_sent":1716379390}`)
	f.add(t, "messages-000001.json", "zerver_usermessage", `{"user_profile":101,"message":900,"flags_mask":7},
		{"user_profile":900,"message":900,"flags_mask":0},{"user_profile":101,"message":9999,"flags_mask":0},
		{"user_profile":"x"}, null`)
	f["messages-000002.json"] = `{"zerver_message":[{"id":940,"sender":101,"recipient":1901,"subject":"x","content":"cut",` +
		`"date_sent":1716379391},{"id":941,"sen`
	f["consented_user_ids.json"], f["analytics.json"], f["stats.json"] = "[101]", "{}", "{}"
	f["migration_status.json"] = `{"migrations_by_app":{}}`
	f["avatars/records.json"] = `[{"path":"1/a.png","user_profile_id":900},7]`
	drawn, _ := picture.Draw(picture.Generated("parrot"))
	f["avatars/1/a.png"], f["emoji/1/emoji/images/5.png"] = string(drawn), string(drawn)
	return f
}

// zulipTables are rows of realm.json.
var zulipTables = map[string]string{
	"zerver_userprofile": `
		{"id":900,"delivery_email":"full@example.com","full_name":"Full *Profile*","role":300,"is_active":true,
			"avatar_source":"U","timezone":"Europe/Berlin","default_language":"de","enter_sends":true},
		{"id":901,"email":"bot@example.com","full_name":"Robot","is_bot":true,"bot_type":1,"bot_owner":900,"is_active":true,
			"role":400}, {"id":902,"email":"hook@example.com","full_name":"Hook","is_bot":true,"bot_type":3,"bot_owner":404,
			"is_active":true,"role":400}, {"id":903,"full_name":"No Mail","role":9,"is_active":true},
		{"id":904,"email":"PERSON3@example.com","full_name":"Double","role":400,"is_active":true}, {"id":"x"}, null`,
	"zerver_userprofile_mirrordummy": `{"id":910,"email":"dummy@example.com","full_name":"Dummy","role":400}`,
	"zerver_stream": `
		{"id":901,"name":"secret","invite_only":true,"history_public_to_subscribers":false,"date_created":1716379200},
		{"id":902,"name":"KANAL-0","is_web_public":true,"deactivated":true,"folder":1}, {"id":903,"name":""},
		{"id":"x"}, null`,
	"zerver_recipient": `{"id":1901,"type":2,"type_id":901},{"id":1902,"type":2,"type_id":902},
		{"id":1910,"type":1,"type_id":900},{"id":1911,"type":3,"type_id":950},{"id":1912,"type":9,"type_id":1},
		{"id":1913,"type":3,"type_id":951},{"id":1914,"type":2,"type_id":404}`,
	"zerver_huddle": `{"id":950,"huddle_hash":"x","group_size":2},{"id":951,"huddle_hash":"y","group_size":0}`,
	"zerver_subscription": `{"user_profile":101,"recipient":1901,"active":false},
		{"user_profile":900,"recipient":1901,"active":true,"is_muted":true,"pin_to_top":true,"color":"#aabbcc"},
		{"user_profile":900,"recipient":1901,"active":true},{"user_profile":404,"recipient":1901,"active":true},
		{"user_profile":900,"recipient":1914,"active":true},{"user_profile":101,"recipient":1911,"active":true},
		{"user_profile":900,"recipient":1911,"active":true}, null`,
	"zerver_defaultstream":             `{"stream":201}`,
	"zerver_channelfolder":             `{"id":1,"name":"Folder"}`,
	"zerver_usergroup":                 `{"id":1},{"id":2},{"id":3},{"id":4}`,
	"zerver_namedusergroup":            `{"usergroup_ptr":1,"name":"role:members","is_system_group":true},{"usergroup_ptr":2,"name":"devs"},{"usergroup_ptr":4,"name":"old","deactivated":true}`,
	"zerver_usergroupmembership":       `{"user_group":2,"user_profile":101},{"user_group":2,"user_profile":404}`,
	"zerver_groupgroupmembership":      `{"supergroup":2,"subgroup":1}`,
	"zerver_realmemoji":                `{"id":5,"name":"parrot","file_name":"5.png","author":101},{"id":6,"name":"parrot","file_name":"6.png","deactivated":true}`,
	"zerver_realmfilter":               `{"id":1,"pattern":"#(?P<id>[0-9]+)","url_template":"https://example.com/{id}","order":1}`,
	"zerver_realmplayground":           `{"id":1,"name":"Go","pygments_language":"go","url_template":"https://example.com/{code}"}`,
	"zerver_realmdomain":               `{"id":1,"domain":"example.com","allow_subdomains":false}`,
	"zerver_realmuserdefault":          `{"id":1,"enter_sends":true}`,
	"zerver_realmauthenticationmethod": `{"id":1,"name":"LDAP"}`,
	"zerver_customprofilefield": `{"id":1,"name":"Phone","field_type":1,"hint":"work"},{"id":2,"name":"Bio","field_type":2},
		{"id":3,"name":"Lang","field_type":3,"field_data":"{\"a\":{\"text\":\"A\",\"order\":\"1\"}}"},
		{"id":4,"name":"Born","field_type":4},{"id":5,"name":"Site","field_type":5},{"id":6,"name":"Boss","field_type":6},
		{"id":7,"name":"Code","field_type":7,"field_data":"{\"subtype\":\"github\"}"},{"id":8,"name":"P","field_type":8},
		{"id":9,"name":"New","field_type":99}`,
	"zerver_customprofilefieldvalue": `{"user_profile":900,"field":1,"value":"123"},{"user_profile":900,"field":3,"value":"a"},
		{"user_profile":900,"field":6,"value":"[101]"},{"user_profile":404,"field":1,"value":"x"}`,
	"zerver_usertopic": `{"user_profile":900,"stream":901,"topic_name":"x","visibility_policy":3,"last_updated":5},
		{"user_profile":900,"stream":901,"topic_name":"y","visibility_policy":8}`,
	"zerver_mutedtopic":       `{"user_profile":900,"stream":901,"topic_name":"z","date_muted":6}`,
	"zerver_muteduser":        `{"user_profile":900,"muted_user":101,"date_muted":7.25}`,
	"zerver_alertword":        `{"user_profile":900,"word":"garden"},{"user_profile":900,"word":""}`,
	"zerver_userstatus":       `{"user_profile":900,"status_text":"out","emoji_name":"car"}`,
	"zerver_savedsnippet":     `{"id":1,"user_profile":900,"title":"hi","content":"hello","date_created":5}`,
	"zerver_navigationview":   `{"id":1,"user":900,"fragment":"inbox","is_pinned":true,"name":null}`,
	"zerver_onboardingstep":   `{"id":1,"user":900,"onboarding_step":"intro_inbox_view_modal"}`,
	"zerver_userpresence":     `{"id":1,"user_profile":900}`,
	"zerver_scheduledmessage": `{"id":1,"sender":900,"content":"later"}`,
	"zerver_service":          `{"id":1,"user_profile":902,"base_url":"https://example.com","token":"secret"}`,
	"zerver_botstoragedata":   `{"id":1,"bot_profile":901,"key":"k","value":"v"}`,
	"zerver_botconfigdata":    `{"id":1,"bot_profile":901,"key":"api_key","value":"secret"}`,
	"zerver_externalauthid":   `{"user":900,"external_auth_method_name":"ldap","external_auth_id":"full"},{"user":900}`,
	"zerver_realmexport":      `{"id":1}`,
	"zerver_useractivity":     `{"id":1},{"id":2}`,
	"zerver_later":            `{"id":1}`,
	"zerver_realmauditlog": `
		{"id":1,"event_type":301,"event_time":1716379200,"modified_user":101,"modified_stream":901,"acting_user":101},
		{"id":2,"event_type":101,"event_time":1716379201,"modified_user":900,"acting_user":101}, null`,
	"zerver_reaction": `{"user_profile":900,"message":900,"emoji_name":"parrot","emoji_code":"5","reaction_type":"realm_emoji"},
		{"user_profile":101,"message":900,"emoji_name":"zulip","emoji_code":"zulip","reaction_type":"zulip_extra_emoji"},
		{"user_profile":404,"message":900,"emoji_name":"tada","emoji_code":"1f389","reaction_type":"unicode_emoji"},
		{"user_profile":1e99}`,
}

const zulipMessages = `
	{"id":900,"sender":101,"recipient":1901,"subject":"","content":"hello @**Full *Profile*|900** @**Nobody** @*devs* ` +
	`#**secret>x** #**kanal-0** [f](/user_uploads/1/aa/key/gone.txt) /user_uploads/1/zz/none/x.png ` +
	`https://old.example.com/#narrow/channel/901-secret/topic/x/near/901","date_sent":1716379300.25,
		"edit_history":"[{\"timestamp\":1716379301,\"user_id\":101,\"prev_content\":\"hi\",\"prev_topic\":\"was\"}]",
		"last_edit_time":1716379301,"rendered_content":"<script>","sending_client":1},
	{"id":901,"sender":900,"recipient":1901,"subject":"x","content":"damaged history","date_sent":1716379302,
		"edit_history":"[7"}, {"id":902,"sender":101,"recipient":1910,"subject":"\u0007","content":"direct",
		"date_sent":1716379303}, {"id":903,"sender":900,"recipient":1910,"subject":"","content":"a note",
		"date_sent":1716379304}, {"id":904,"sender":101,"recipient":1911,"subject":"","content":"a group of two",
		"date_sent":1716379305}, {"id":905,"sender":101,"recipient":1913,"subject":"","content":"a group of none",
		"date_sent":1716379306}, {"id":906,"sender":101,"recipient":4040,"content":"to nobody","date_sent":1716379307},
	{"id":907,"sender":101,"recipient":1912,"content":"to an unknown type","date_sent":1716379308},
	{"id":908,"sender":101,"recipient":1914,"subject":"x","content":"to a lost channel","date_sent":1716379309},
	{"id":909,"sender":404,"recipient":1901,"subject":"x","content":"by somebody unknown","date_sent":1716379310},
	{"id":910,"sender":5,"recipient":1901,"subject":"x","content":"by a bot of the server","date_sent":1716379311},
	{"id":911,"sender":101,"recipient":1901,"subject":"x","content":" ","date_sent":1716379312},
	{"id":912,"sender":101,"recipient":1901,"subject":"x","content":"timeless","date_sent":null},
	{"id":913,"sender":101,"recipient":1901,"subject":"x","content":"of the future","date_sent":9999999999},
	{"id":914,"sender":101,"recipient":1901,"subject":"x","content":"of another name","pub_date":1716379313},
	{"id":915,"sender":101,"recipient":1902,"subject":"\u0000x","content":"a\u0000b\r\nc","date_sent":1716379314},
	{"id":"x"}, null, 7`
