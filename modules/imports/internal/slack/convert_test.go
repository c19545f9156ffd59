package slack

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stoachat/stoa/domain/importing"
)

// knownEmoji knows some Unicode emoji.
func knownEmoji(name string) (string, bool) {
	code, ok := map[string]string{
		"smile": "1f604", "+1": "1f44d", "wave": "1f44b", "thinking": "1f914", "tada": "1f389",
	}[name]
	return code, ok
}

// newConverter returns a converter: Ada is U1, #general is C1, and D1 is a direct conversation.
func newConverter() *converter {
	return &converter{
		emoji: emojiSet{knownEmoji, map[string]customEmoji{"parrot": {key: "parrot"}, "yes": {unicode: "1f44d"}}},
		person: func(id string) string {
			return map[string]string{"U1": "Ada"}[id]
		},
		channel: func(id string) (string, bool, bool) {
			name, ok := map[string]string{"C1": "general", "D1": ""}[id]
			return name, id == "D1", ok
		},
	}
}

// shown returns Markdown with references in brackets.
func shown(md string) string {
	return importing.Expand(md, func(r importing.Ref) string {
		s := "{" + string(r.Kind) + " " + string(r.Key)
		if r.Detail != "" {
			s += " " + r.Detail
		}
		return s + "}"
	})
}

func TestMrkdwn(t *testing.T) {
	for in, want := range map[string]string{
		"a &lt;b&gt; &amp; &amp;lt;":                  "a <b> & &amp;lt;",
		"*b* _i_ ~s~ *_bi_*":                          "**b** *i* ~~s~~ ***bi***",
		"a*b*c snake_case_name 2 * 3 * 4":             "a&#42;b&#42;c snake_case_name 2 * 3 * 4",
		"*two words*, _x_.":                           "**two words**, *x*.",
		"*not closed":                                 "&#42;not closed",
		"`*c* &lt;`":                                  "`*c* <`",
		"```\na *b*\n```":                             "```\na *b*\n```",
		"x ```a``` y":                                 "x\n\n```\na\n```\n\n y",
		"&gt; q\nafter":                               "> q\n\nafter",
		"&gt; q1\n&gt; q2":                            "> q1\n> q2",
		"before\n&gt;&gt;&gt; q\nrest":                "before\n\n> q\n> rest",
		"hi <@U1>":                                    "hi {person U1}",
		"(<@U1|ada>)x<@U1>":                           "({person U1})x {person U1}",
		"<@U9|gone> <@U9>":                            "@gone {person U9}",
		"<#C1|general> <#C9|secret>":                  "{channel C1} #secret",
		"<!here> <!channel> <!everyone>":              "@**all** @**all** @**all**",
		"<!subteam^S1|@dev>":                          "@dev",
		"<!date^1716379200^{date}|May>":               "<time:2024-05-22T12:00:00Z>",
		"<https://a.de/b> <https://a.de/(x)|[l]>":     "https://a.de/b [&#91;l&#93;](https://a.de/%28x%29)",
		"<https://a.de>x":                             "[https://a.de](https://a.de)x",
		"<mailto:a@b.de|a@b.de> <tel:1|call>":         "[a@b.de](mailto:a@b.de) [call](tel:1)",
		"<javascript:x|bad> <data:x>":                 "bad data:x",
		":smile: :parrot: :nope: :wave::skin-tone-3:": ":smile: {emoji parrot} :nope: 👋🏼",
		":yes: :thinking_face: :flag-de:":             "👍 🤔 🇩🇪",
		"# no\n1. no\n- no\n> no\n&gt;":               "&#35; no\n1&#46; no\n&#45; no\n&gt; no",
		"@**all**":                                    "@&#42;&#42;all&#42;&#42;",
		"[a](b) ~~x~~ $$y$$ <time:1>": "&#91;a](b) &#126;&#126;x&#126;&#126; " +
			"&#36;&#36;y&#36;&#36; time:1",
		"    indented": "\u00a0\u00a0\u00a0\u00a0indented",
		"<https://x.slack.com/archives/C1/p1716379200000100>":   "{message C1/1716379200.000100}",
		"<https://x.slack.com/archives/D1/p1716379200000100|l>": "[l]({message D1/1716379200.000100})",
		"<https://x.slack.com/archives/C9/p1716379200000100|l>": "[l](https://x.slack.com/archives/C9/p1716379200000100)",
	} {
		if got := shown(render(newConverter().mrkdwn(in))); got != want {
			t.Errorf("%q:\n got %q\nwant %q", in, got, want)
		}
	}
}

func TestBlocks(t *testing.T) {
	rich := func(elements string) string { return `{"type":"rich_text","elements":[` + elements + `]}` }
	section := func(elements string) string {
		return rich(`{"type":"rich_text_section","elements":[` + elements + `]}`)
	}
	item := func(s string) string {
		return `{"type":"rich_text_section","elements":[{"type":"text","text":"` + s + `"}]}`
	}
	for in, want := range map[string]string{
		section(`{"type":"text","text":"a "},{"type":"text","text":"b","style":{"bold":true,"italic":true,` +
			`"strike":true}}`): "a ~~***b***~~",
		section(`{"type":"text","text":"x*y","style":{"code":true}}`): "`x*y`",
		section(`{"type":"text","text":"*plain*"}`):                   "&#42;plain&#42;",
		section(`{"type":"link","url":"https://a.de","text":"l"},{"type":"link",` +
			`"url":"https://a.de"}`): "[l](https://a.de)[https://a.de](https://a.de)",
		section(`{"type":"user","user_id":"U1"},{"type":"text","text":" "},{"type":"usergroup",` +
			`"usergroup_id":"S1"}`): "{person U1} @group",
		section(`{"type":"channel","channel_id":"C1"},{"type":"text","text":" "},{"type":"broadcast",` +
			`"range":"here"}`): "{channel C1} @**all**",
		section(`{"type":"emoji","name":"smile"},{"type":"emoji","name":"new","unicode":"1f9cc"}`): ":smile:🧌",
		section(`{"type":"date","timestamp":1716379200,"format":"x"},{"type":"color",` +
			`"value":"#fff"}`): "<time:2024-05-22T12:00:00Z>#fff",
		section(`{"type":"team","team_id":"T1"}`): "T1",
		rich(`{"type":"rich_text_list","style":"bullet","indent":0,"elements":[` + item("a") + `]},` +
			`{"type":"rich_text_list","style":"ordered","indent":1,"offset":2,"elements":[` + item("b") + `,` +
			`` + item("c") + `]}`): "* a\n  3. b\n  4. c",
		rich(`{"type":"rich_text_quote","elements":[{"type":"text","text":"q\nr"}]}`): "> q\n> r",
		rich(`{"type":"rich_text_preformatted","elements":[{"type":"text",` +
			`"text":"a\n` + "```" + `"}]}`): "````\na\n```\n````",
		`{"type":"section","text":{"type":"mrkdwn","text":"*b*"},"fields":[{"type":"mrkdwn","text":"a|b"},` +
			`{"type":"plain_text","text":"c"}]}`: "**b**\n\n|  |  |\n|---|---|\n| a&#124;b | c |",
		`{"type":"section","text":{"type":"plain_text","text":"t"},"accessory":{"type":"image",` +
			`"image_url":"https://i.de/i","alt_text":"alt"}}`: "t\n\n[alt](https://i.de/i)",
		`{"type":"section","text":{"type":"plain_text","text":"t"},"accessory":{"type":"button",` +
			`"text":{"type":"plain_text","text":"Go"}}}`: "t\n\n(Go)",
		`{"type":"header","text":{"type":"plain_text","text":"H :smile:"}}`: "## H :smile:",
		`{"type":"context","elements":[{"type":"mrkdwn","text":"*c*"},{"type":"image",` +
			`"image_url":"https://i.de/i","alt_text":"i"}]}`: "**c** [i](https://i.de/i)",
		`{"type":"divider"}`: "---",
		`{"type":"image","image_url":"https://i.de/i","title":{"type":"plain_text","text":"T"},` +
			`"alt_text":"a"}`: "[T](https://i.de/i)",
		`{"type":"video","title":{"text":"V"},"title_url":"https://v.de/v",` +
			`"video_url":"https://v.de/e"}`: "[V](https://v.de/v)",
		`{"type":"markdown",` +
			`"text":"# as *is*"}`: "# as *is*",
		`{"type":"table","rows":[[{"type":"raw_text","text":"h"},{"type":"raw_text","text":"i"}],` +
			`[` + section(`{"type":"user","user_id":"U1"}`) + `]]}`: "| h | i |\n|---|---|\n| @Ada |  |",
		`{"type":"file","source":"remote"}`:                "",
		`{"type":"call","call":{"v1":{"name":"Standup"}}}`: "(call) Standup",
		`{"type":"actions","elements":[{"type":"button","text":{"type":"plain_text","text":"Yes"}},` +
			`{"type":"button","text":{"text":"No"}}]}`: "(Yes) (No)",
		`{"type":"input","label":{"type":"plain_text","text":"Why?"},"element":{"type":"plain_text_input"}}`: "(Why?)",
	} {
		var b block
		if err := json.Unmarshal([]byte(in), &b); err != nil {
			t.Errorf("%s: %v", in, err)
			continue
		}
		parts, ok := newConverter().block(&b)
		if got := shown(render(parts)); got != want || !ok {
			t.Errorf("%s: %v\n got %q\nwant %q", in, ok, got, want)
		}
	}
}

func TestUnknownBlocks(t *testing.T) {
	known := `{"type":"section","text":{"type":"plain_text","text":"known"}}`
	for in, want := range map[string]string{
		`{"text":"all of it","blocks":[{"type":"hologram"}]}`:                     "all of it",
		`{"text":"more than known","blocks":[` + known + `,{"type":"hologram"}]}`: "known\n\nmore than known",
		`{"text":"known","blocks":[` + known + `,{"type":"hologram"}]}`:           "known",
		`{"text":"ignored","blocks":[` + known + `]}`:                             "known",
		`{"text":"t","blocks":"retyped"}`:                                         "t",
	} {
		m, err := decode([]byte(in))
		if got := render(newConverter().content(m)); got != want || err != nil {
			t.Errorf("%s: got %q, want %q, %v", in, got, want, err)
		}
	}
}

func TestAttachments(t *testing.T) {
	for in, want := range map[string]string{
		`{"fallback":"f"}`:              "f",
		`{"fallback":"f","text":"*t*"}`: "**t**",
		`{"pretext":"p","author_name":"A","title":"T","title_link":"https://t.de/",` +
			`"text":"x"}`: "p\n\n**A**\n\n**[T](https://t.de/)**\n\nx",
		`{"fields":[{"title":"a","value":"1","short":true},{"title":"b","value":"2","short":true},{"title":"c",` +
			`"value":"3"}]}`: "| a | b |\n|---|---|\n| 1 | 2 |\n\n**c:** 3",
		`{"image_url":"https://i.de/i","footer":"foot",` +
			`"ts":1716379200}`: "[image](https://i.de/i)\n\n*foot* · <time:2024-05-22T12:00:00Z>",
		`{"from_url":"https://a.de","title":"preview"}`: "",
		`{"is_msg_unfurl":true,"from_url":"https://x.slack.com/archives/C1/p1716379200000100","author_name":"Ada",` +
			`"text":"said"}`: "```quote\nAda {message C1/1716379200.000100}\n\nsaid\n```",
		`{"text":"t","actions":[{"type":"button","text":"Go"}]}`: "t\n\n(Go)",
		`{"blocks":[{"type":"divider"}]}`:                        "---",
	} {
		var a attachment
		if err := json.Unmarshal([]byte(in), &a); err != nil {
			t.Errorf("%s: %v", in, err)
		}
		if got := shown(render(newConverter().attachments([]attachment{a}))); got != want {
			t.Errorf("%s:\n got %q\nwant %q", in, got, want)
		}
	}
}

func TestSubtypes(t *testing.T) {
	for in, want := range map[string]string{
		`{"subtype":"tombstone","text":"x"}`:                        "skip",
		`{"subtype":"hidden_by_limit","text":"x"}`:                  "skip",
		`{"subtype":"channel_join","text":"x"}`:                     "skip",
		`{"subtype":"unpinned_item","text":"x"}`:                    "skip",
		`{"type":"event","text":"x"}`:                               "skip",
		`{"user":"U00","text":"x"}`:                                 "skip",
		`{"subtype":"message_replied"}`:                             "skip",
		`{"subtype":"channel_topic","topic":"the *topic*"}`:         "set the topic: the **topic**",
		`{"subtype":"channel_purpose","purpose":""}`:                "cleared the description",
		`{"subtype":"bot_add","text":"<@U1> added an integration"}`: "added an integration",
		`{"subtype":"huddle_thread","user":"U1","room":{"participants":["U1","U2","U3"]}}`: "had a call with " +
			"{silent U2}, {silent U3}",
		`{"subtype":"sh_room_created"}`:                                "had a call",
		`{"subtype":"thread_broadcast","text":"x"}`:                    "x",
		`{"subtype":"file_comment","comment":{"comment":"on a file"}}`: "on a file",
		`{"subtype":"invented","text":"x"}`:                            "x",
	} {
		m, err := decode([]byte(in))
		got := "skip"
		if m.skip() == "" {
			got = shown(render(newConverter().content(m)))
		}
		if got != want || err != nil {
			t.Errorf("%s: got %q, want %q, %v", in, got, want, err)
		}
	}
}

func TestFileForms(t *testing.T) {
	for in, want := range map[string]string{
		`{"id":"F1","name":"a.pdf","url_private":"https://files.slack.com/a"}`: "[a.pdf]({file F1})",
		`{"id":"F1","mode":"tombstone"}`:                                       "(deleted file)",
		`{"id":"F1","mode":"hidden_by_limit"}`:                                 "(deleted file)",
		`{"id":"F1","file_access":"access_denied"}`:                            "(deleted file)",
		`{"id":"F1","file_access":"file_not_found"}`:                           "(deleted file)",
		`{"id":"F1","title":"Doc","is_external":true,` +
			`"url_private":"https://drive.de/d"}`: "[Doc](https://drive.de/d)",
		`{"id":"F1","title":"Doc",` +
			`"url_private":"https://drive.de/d"}`: "[Doc](https://drive.de/d)",
		`{"id":"F1","name":"x.go","mode":"snippet","filetype":"go","size":9,` +
			`"preview":"package x"}`: "[x.go]({file F1})\n\n```go\npackage x\n```",
		`{"id":"F1","name":"x.go","mode":"snippet","size":99999,"preview":"package x"}`: "[x.go]({file F1})",
		`{"id":"F1","title":"Post","mode":"space"}`:                                     "[Post]({file F1})",
	} {
		var f file
		if err := json.Unmarshal([]byte(in), &f); err != nil {
			t.Errorf("%s: %v", in, err)
		}
		if got := shown(render(f.show())); got != want {
			t.Errorf("%s: got %q, want %q", in, got, want)
		}
	}
}

func TestEmojiAliases(t *testing.T) {
	got := resolveEmoji(map[string]string{
		"a": "https://e.de/a", "b": "alias:a", "c": "alias:b",
		"loop": "alias:pool", "pool": "alias:loop", "self": "alias:self",
		"ok": "alias:+1", "bad": "alias:nothing",
	}, knownEmoji)
	if len(got) != 4 || got["c"].key != "a" || got["b"].url != "https://e.de/a" || got["ok"].unicode != "1f44d" {
		t.Errorf("got %v", got)
	}
	var all list[reaction]
	if err := json.Unmarshal([]byte(`[{"name":"wave::skin-tone-2","users":["U1","U1","U2"],"count":5},`+
		`{"name":"c","users":["U1"]}]`),
		&all); err != nil {
		t.Fatal(err)
	}
	out, missing := emojiSet{knownEmoji, got}.reactions(all)
	if len(out) != 3 || missing != 2 || out[0].Code != "1f44b" || out[2].Custom != "a" {
		t.Errorf("got %v, %d", out, missing)
	}
}

// FuzzMrkdwn checks that no text ends in a panic, or in a reference that its author wrote.
func FuzzMrkdwn(f *testing.F) {
	f.Add("*a _b ~c `d <@U1> :smile: ```x``` &gt;&gt;&gt; y")
	f.Add(strings.Repeat("*a ", 1000))
	f.Fuzz(func(t *testing.T, s string) {
		md := render(newConverter().mrkdwn(importing.CleanText(s)))
		if strings.Count(md, "\x00")%2 != 0 {
			t.Errorf("half of a reference in %q", md)
		}
		for _, r := range importing.References(md) {
			if r.Kind == importing.RefFile {
				t.Errorf("a reference that nothing made: %v", r)
			}
		}
	})
}
