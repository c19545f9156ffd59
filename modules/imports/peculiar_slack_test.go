package imports_test

import (
	"encoding/json"
	"strings"
	"testing"
)

// peculiarSlack is an archive of Slack with everything that such archives are known to contain.
func peculiarSlack(t *testing.T, c *community) files {
	t.Helper()
	f := slackArchive(c, 0)
	f.add(t, "users.json", "", `
		{"id":"U200","team_id":"T2","name":"ext","profile":{"real_name":"Of Elsewhere","email":"ext@example.org"}},
		{"id":"U201","team_id":"T1","name":"nomail","profile":{"real_name":"No Mail"}},
		{"id":"U202","team_id":"T1","name":"single","is_ultra_restricted":true,"profile":{"email":"single@example.com"}},
		{"id":"U203","team_id":"T1","is_bot":true,"profile":{"bot_id":"B203","real_name":"Robot","api_app_id":"A1"}},
		{"id":"U204","team_id":"T1","is_app_user":true,"profile":{"real_name":"App User","email":"app@example.com"}},
		{"id":"USLACKBOT","name":"slackbot","profile":{"real_name":"Slackbot"}},
		{"id":"U205","team_id":"T1","name":"profile","tz":"Mars/Olympus","profile":{"real_name":"\u0000Full *Profile*\u202e",
			"email":"full@example.com","title":"Gardener","phone":"123","skype":"full","status_text":"out","status_emoji":":tada:",
			"fields":{"Xf1":{"value":"green","alt":""},"Xf2":{"value":""}},"image_512":"https://a.slack-edge.com/x.png"}},
		{"id":"U206","team_id":"T1","deleted":true,"profile":{"display_name":"Left","email":"left@example.com"}},
		{"name":"without an ID"}, null, 7, {"id":"U205","name":"listed twice"}`)
	f["org_users.json"] = []any{json.RawMessage(`{"id":"U207","name":"of-grid","profile":{"email":"grid@example.com"}}`)}
	f["integration_logs.json"] = []any{
		json.RawMessage(`{"service_id":"S1","bot_id":"B300","service_type":"Weather","date":"1"}`), json.RawMessage(`7`),
	}
	for _, name := range []string{
		"canvases.json", "canvas_in_the_conversation.json", "content_flags.json", "huddle_transcripts.json", "lists.json",
	} {
		f[name] = "[]"
	}
	f["nowhere/2024-05-22.json"], f["readme.txt"], f["odd/canvas_in_the_conversation.json"] = "[]", "hello", "[]"
	f.add(t, "channels.json", "", `
		{"id":"C50","name":"odd","created":0,"members":["U100","U404","U100"],"is_archived":true,
			"purpose":{"value":"why &amp; how"},"topic":{"value":"now"},"creator":"U404",
			"pins":[{"id":"1716379300.000100","type":"C"},{"id":"F1","type":"F"},{"id":"1.000000","type":"C"}]},
		{"id":"C51","name":"KANAL-0","created":1,"purpose":{"value":"`+strings.Repeat("long ", 300)+`"}},
		{"id":"C52","name":"`+strings.Repeat("n", 80)+`"}, {"id":"C50","name":"shared"}, {"name":"without an ID"}, null,
		{"id":"../C53","name":"bad"}`)
	f.add(t, "dms.json", "", `{"id":"D50","members":["U205","U205"]},{"id":"D51","members":["U100","U404"]},{"id":"D52"}`)
	f.add(t, "mpims.json", "", `{"id":"G50","name":"mpdm-x-1","members":["U100","U101","U205"]},
		{"id":"G51","name":"mpdm-y-1","members":["U205","U101","U100"]}`)
	day := "odd/2024-05-22.json"
	f.add(t, day, "", slackSubtypes)
	f.add(t, day, "", slackTexts)
	f.add(t, day, "", slackRecords)
	f.add(t, day, "", `{"type":"message","user":"U100","ts":"1716379390.000100","text":"`+strings.Repeat("long text ", 2500)+
		`"}`)
	f["odd/2024-05-23.json"] = `[{"type":"message","user":"U101","ts":"1716465600.000100","thread_ts":"1716379300.000100",` +
		`"text":"a reply on the next day"},{"type":"message","user":"U101","ts":"1716465601.000100",` +
		`"thread_ts":"1716300000.000100","text":"a reply to what is lost"},{"type":"message","user":"U101",` +
		`"ts":"1716465602.000100","thread_ts":"1716379300.000100","subtype":"thread_broadcast","text":"also to all"},{"ty`
	f.add(t, "D50/2024-05-22.json", "", `{"type":"message","user":"U205","ts":"1716379300.000100","text":"a note"}`)
	f.add(t, "D51/2024-05-22.json", "", `{"type":"message","user":"U404","ts":"1716379300.000100","text":"hi"},
		{"type":"message","user":"U100","ts":"1716379302.000100","thread_ts":"1716379300.000100","text":"yes"}`)
	f.add(t, "D52/2024-05-22.json", "", `{"type":"message","user":"U100","ts":"1716379300.000100","text":"to nobody"}`)
	f.add(t, "mpdm-x-1/2024-05-22.json", "", `{"type":"message","user":"U100","ts":"1716379300.000100","text":"one"}`)
	f.add(t, "mpdm-y-1/2024-05-22.json", "", `{"type":"message","user":"U101","ts":"1716379301.000100","text":"two"}`)
	f["__uploads/FX1/notes.txt"] = "the notes"
	return f
}

// slackSubtypes has a message of each subtype.
const slackSubtypes = `
	{"type":"message","user":"U100","ts":"1716379300.000100","text":"a root","reply_count":1},
	{"type":"message","subtype":"me_message","user":"U100","ts":"1716379301.000100","text":"waves"},
	{"type":"message","subtype":"bot_message","bot_id":"B300","username":"Rain","ts":"1716379302.000100","text":"wet"},
	{"type":"message","subtype":"bot_message","bot_id":"B203","username":"Other","ts":"1716379303.000100","text":"beep"},
	{"type":"message","subtype":"bot_message","username":"Web Hook","ts":"1716379304.000100","text":"hooked"},
	{"type":"message","subtype":"slackbot_response","user":"USLACKBOT","ts":"1716379305.000100","text":"lunch?"},
	{"type":"message","subtype":"file_comment","ts":"1716379306.000100","text":"",
		"comment":{"user":"U101","comment":"nice"},"file":{"id":"FX1","name":"notes.txt","user":"U100"}},
	{"type":"message","subtype":"tombstone","user":"USLACKBOT","ts":"1716379307.000100","text":"This message was deleted."},
	{"type":"message","subtype":"hidden_by_limit","ts":"1716379308.000100"},
	{"type":"message","subtype":"channel_join","user":"U100","ts":"1716379309.000100","text":"joined"},
	{"type":"message","subtype":"group_leave","user":"U100","ts":"1716379310.000100","text":"left"},
	{"type":"message","subtype":"channel_archive","user":"U100","ts":"1716379311.000100","text":"archived"},
	{"type":"message","subtype":"channel_name","user":"U100","ts":"1716379312.000100","text":"renamed"},
	{"type":"message","subtype":"pinned_item","user":"U100","ts":"1716379313.000100","text":"pinned"},
	{"type":"message","subtype":"channel_topic","user":"U100","ts":"1716379314.000100","topic":"now"},
	{"type":"message","subtype":"channel_purpose","user":"U100","ts":"1716379315.000100","purpose":""},
	{"type":"message","subtype":"bot_add","user":"U100","ts":"1716379316.000100","text":"<@U100> added an integration"},
	{"type":"message","subtype":"reminder_add","user":"U100","ts":"1716379317.000100","text":"set up a reminder"},
	{"type":"message","subtype":"sh_room_created","user":"U100","ts":"1716379318.000100",
		"room":{"participant_history":["U101","U404"]}},
	{"type":"message","subtype":"huddle_thread","user":"U100","ts":"1716379319.000100","room":{"participants":["U101"]}},
	{"type":"message","subtype":"message_changed","ts":"1716379320.000100",
		"message":{"ts":"1716379301.000100","text":"waves twice"}},
	{"type":"message","subtype":"message_deleted","ts":"1716379321.000100","deleted_ts":"1716379322.000100"},
	{"type":"message","user":"U100","ts":"1716379322.000100","text":"deleted later"},
	{"type":"message","subtype":"message_replied","ts":"1716379323.000100"},
	{"type":"message","subtype":"assistant_app_thread","user":"U100","ts":"1716379324.000100","text":"of a new subtype"},
	{"type":"message","user":"U00","ts":"1716379325.000100","text":"damaged"},
	{"type":"reminder","user":"U100","ts":"1716379326.000100","text":"of another type"}`

// slackTexts has messages with blocks, attachments and markup of all kinds.
const slackTexts = `
	{"type":"message","user":"U100","ts":"1716379330.000100","text":"x","blocks":[{"type":"rich_text","elements":[
		{"type":"rich_text_section","elements":[{"type":"text","text":"bold","style":{"bold":true,"code":true}},
			{"type":"user","user_id":"U404"},{"type":"usergroup","usergroup_id":"S1"},{"type":"channel","channel_id":"C404"},
			{"type":"broadcast","range":"here"},{"type":"emoji","name":"wave","skin_tone":3},{"type":"color","value":"#fff"},
			{"type":"date","timestamp":1716379330},{"type":"team","team_id":"T1"},{"type":"link","url":"javascript:x"}]},
		{"type":"rich_text_list","style":"ordered","indent":5,"offset":2,"elements":[{"type":"rich_text_section",
			"elements":[{"type":"text","text":"deep"}]},{"type":"rich_text_quote","elements":[{"type":"text","text":"q"}]}]},
		{"type":"rich_text_quote","elements":[{"type":"text","text":"quoted"}]},
		{"type":"rich_text_preformatted","elements":[{"type":"text","text":"code"}]}]}]},
	{"type":"message","user":"U100","ts":"1716379331.000100","text":"y","blocks":[{"type":"header","text":{"text":"Head"}},
		{"type":"section","fields":[{"type":"mrkdwn","text":"*a*"},{"type":"plain_text","text":"b"}],
			"accessory":{"type":"image","image_url":"https://example.com/i.png","alt_text":"i"}},
		{"type":"context","elements":[{"type":"mrkdwn","text":"small"}]},{"type":"divider"},
		{"type":"image","image_url":"https://example.com/p.png","alt_text":"p"},
		{"type":"video","title":{"text":"v"},"video_url":"https://example.com/v"},{"type":"markdown","text":"**as is**"},
		{"type":"table","rows":[[{"type":"raw_text","text":"1"},{"type":"raw_text","text":"2"}]]},{"type":"file"},
		{"type":"call","call":{"v1":{"name":"Standup"}}}]},
	{"type":"message","user":"U100","ts":"1716379332.000100","text":"choose","blocks":[{"type":"actions","elements":[
		{"type":"button","text":{"text":"Yes"}}]},{"type":"input","label":{"text":"Name"},"element":{"type":"plain"}}]},
	{"type":"message","user":"U100","ts":"1716379333.000100","text":"fallback","blocks":[{"type":"hologram"}]},
	{"type":"message","user":"U100","ts":"1716379334.000100","text":"","blocks":[{"type":"hologram"}]},
	{"type":"message","user":"U100","ts":"1716379335.000100","text":"","attachments":[
		{"fallback":"f","pretext":"before","title":"T","title_link":"https://example.com","text":"*t*","footer":"foot",
			"ts":1716379335,"fields":[{"title":"A","value":"1","short":true},{"title":"B","value":"2","short":true},
			{"title":"C","value":"3"}],"image_url":"https://example.com/i.png","actions":[{"text":"Go","type":"button"}]},
		{"from_url":"https://example.com","title":"a preview"},{"is_msg_unfurl":true,"author_name":"Ada","text":"shared",
			"from_url":"https://acme.slack.com/archives/C50/p1716379300000100"},{"fallback":"only this"}]},
	{"type":"message","user":"U100","ts":"1716379336.000100","text":"<@U404|old> <#C404|secret> <!channel> ` +
	`<!subteam^S1|@devs> <!date^1716379336^{date}|then> <mailto:a@b.c|a> <ftp://x> <javascript:x|y> &lt;b&gt; :nope: ` +
	`:wave::skin-tone-4: *b* _i_ ~s~ # @**all** \u0000\r\n&gt; q\n` + "```code```" +
	` <https://acme.slack.com/archives/C50/p1716379300000100> <https://acme.slack.com/archives/C9/p1>"}`

// slackRecords has messages with peculiar times, authors, files and reactions.
const slackRecords = `
	{"type":"message","user":"U100","ts":"never","text":"no time"}, {"type":"message","user":"U100","ts":"NaN","text":"x"},
	{"type":"message","user":"U100","ts":"-5.0","text":"x"}, {"type":"message","user":"U100","ts":null,"text":"x"},
	{"type":"message","user":"U100","ts":"9999999999.000100","text":"in the future"}, null, 7, "x", [], {"type":"message"},
	{"type":"message","user":"U405","user_profile":{"real_name":"Of A Shared Channel"},"ts":"1716379340.000100","text":"x"},
	{"type":"message","ts":"1716379341.000100","text":"by nobody"}, {"type":"message","user":"U100",
		"ts":"1716379342.000100","text":"  "}, {"type":"message","user":"U100","ts":"1716379342.000100","text":"again"},
	{"type":"message","user":"U201","ts":"1716379343.000100","text":"edited","edited":{"user":"U201","ts":"1716379344.0"},
		"previous":{"text":"before"},"pinned_to":["C50"],"is_starred":true},
	{"type":"message","user":"U100","ts":"1716379345.000100","text":"reacted","reactions":[
		{"name":"tada","users":["U101"],"count":3},{"name":"wave::skin-tone-2","users":["U101"],"count":1},
		{"name":"partyparrot","users":["U101"],"count":1},{"name":"heart","users":["U404"],"count":1}]},
	{"type":"message","subtype":"file_share","user":"U100","ts":"1716379346.000100","text":"files","files":[
		{"id":"FX1","name":"notes.txt","title":"Notes","mimetype":"text/plain","mode":"hosted"},
		{"id":"FX2","mode":"tombstone"},{"id":"FX3","mode":"hidden_by_limit"},{"id":"FX4","file_access":"file_not_found"},
		{"id":"FX5","mode":"snippet","filetype":"go","preview":"func","size":4,"name":"x.go"},
		{"id":"FX6","mode":"external","is_external":true,"url_private":"https://drive.example.com/x","title":"Drive"},
		{"id":"FX7","mode":"space","name":"Post","url_private":"https://files.slack.com/x?t=xoxe-1"},{"id":"../F"}, null]},
	{"type":"message","user":"U101","upload":true,"ts":"1716379347.000100","text":"","file":{"id":"FX1","name":"notes.txt"}}`
