package webhooks_test

import (
	"strings"
	"testing"
)

func TestSlackFormat(t *testing.T) {
	h := start(t, "")
	all := func(body, text string) delivery { return delivery{"slack_incoming", "", body, "general chat", text} }
	rich := func(elements string) string {
		return `{"blocks":[{"type":"rich_text","block_id":"b","elements":[` + elements + `]}]}`
	}
	h.posts(t, []delivery{
		// Attachments.
		all(`{"attachments":[{"fallback":"Disk full"}]}`, "Disk full"),
		all(`{"attachments":[{"fallback":"Disk full","color":"danger","ts":1700000000,"footer":"monit"}]}`,
			"Disk full\n\nmonit\n\n<time:1700000000>"),
		all(`{"attachments":[{"fallback":"summary","author_name":"Ann","author_link":"https://x.org/ann","title":"T",
			"title_link":"https://x.org","pretext":"pre","text":"*text*","image_url":"https://x.org/i.png",
			"fields":[{"title":"CPU","value":91,"short":true},{"title":"Up","value":false},{"value":"alone"},null],
			"actions":[{"type":"button","text":"Open","url":"https://x.org/o"}],"mrkdwn_in":["text"]}]}`,
			"**[Ann](https://x.org/ann)**\n\n## [T](https://x.org)\n\npre\n\n**text**\n\n"+
				"* **CPU**: 91\n* **Up**: false\n* alone\n\n[Open](https://x.org/o)\n\n[Image](https://x.org/i.png)"),
		all(`{"text":"*Both*","attachments":[{"text":"second"}],"blocks":null}`, "**Both**\n\nsecond"),
		all(`{"text":"same","icon_emoji":":ok:","attachments":[{"text":"same"}]}`, "same"),
		all(`{"text":"summary","blocks":[{"type":"section","text":"shown"}],"attachments":{"text":"one"}}`, "shown\n\none"),
		// Times.
		all(`{"attachments":[{"text":"a","ts":"1700000000.0012"},{"text":"b","ts":""},{"text":"c","ts":null},
			{"text":"d","ts":"2023-11-14T22:13:20Z"},{"text":"e","ts":1700000000123},{"text":"f","ts":"yesterday"},
			{"text":"g","ts":"2023-11-14 22:13:20"},{"text":"h","ts":[]},{"text":"i","ts":"NaN"}]}`,
			"a\n\n<time:1700000000>\n\nb\n\nc\n\nd\n\n<time:1700000000>\n\ne\n\n<time:1700000000>\n\nf\n\nyesterday\n\ng\n\n"+
				"<time:1700000000>\n\nh\n\ni"),
		// Wrong types.
		all(`{"text":42}`, "42"),
		all(`{"text":{"type":"mrkdwn","text":"object"}}`, "object"),
		all(`{"text":["a",1]}`, "a, 1"),
		all(`{"text":"kept","blocks":"none","attachments":[null,7,{"title":5,"fields":"x","text":true}],"icon_emoji":[]}`,
			"none\n\n7\n\n## 5\n\ntrue\n\n* x"),
		all(`{"text":"kept","blocks":[],"attachments":[],"channel":null,"icon_emoji":null,"username":5}`, "kept"),
		all(`{"text":"a","blocks":"[{\"type\":\"header\",\"text\":{\"type\":\"plain_text\",\"text\":\"encoded\"}}]"}`,
			"## encoded"),
		all(`{"text":"nul\u0000 and \ud800"}`, "nul and \ufffd"),
		// Blocks.
		all(`{"blocks":[{"type":"header","text":{"type":"plain_text","text":"News"}},
			{"type":"section","text":{"type":"mrkdwn","text":"*a*"},"fields":[{"type":"mrkdwn","text":"*k*\nv"},
			{"type":"plain_text","text":"*p*"}],"accessory":{"type":"button","text":{"type":"plain_text","text":"Open"},
			"url":"https://x.org/b"}},{"type":"context","elements":[{"type":"mrkdwn","text":"_ctx_"},
			{"type":"image","image_url":"https://x.org/i.png","alt_text":"pic"}]},{"type":"divider"},
			{"type":"image","slack_file":{"url":"https://x.org/j.png"},"alt_text":"j"},
			{"type":"actions","elements":[{"type":"button","text":{"type":"plain_text","text":"Go"},"url":"https://x.org/g"},
			{"type":"overflow","options":[{"text":{"type":"plain_text","text":"More"},"url":"https://x.org/m"}]},
			{"type":"button","text":{"type":"plain_text","text":"Approve"},"action_id":"1"}]},
			{"type":"video","title":{"type":"plain_text","text":"Film"},"title_url":"https://x.org/v"},
			{"type":"markdown","text":"**md** [a](https://x.org)"},{"type":"hologram","text":"new"},
			{"type":"table","rows":[[{"type":"raw_text","text":"A|B"},{"type":"raw_text","text":"C"}],
			[{"type":"raw_text","text":1},{"type":"rich_text","elements":[{"type":"rich_text_section","elements":[
			{"type":"text","text":"x","style":{"bold":true}}]}]}]]}]}`,
			"## News\n\n**a**\n* **k**\n  v\n* *p*\n[Open](https://x.org/b)\n\n*ctx*\n[pic](https://x.org/i.png)\n\n----\n\n"+
				"[j](https://x.org/j.png)\n\n[Go](https://x.org/g) · [More](https://x.org/m)\n\n[Film](https://x.org/v)\n\n"+
				"**md** [a](https://x.org)\n\nnew\n\n| A/B | C |\n| --- | --- |\n| 1 | **x** |"),
		all(rich(`{"type":"rich_text_section","elements":[{"type":"text","text":"bold ","style":{"bold":true}},
			{"type":"text","text":"x","style":{"code":true,"strike":true}},{"type":"text","text":" *raw* "},
			{"type":"link","url":"https://x.org","text":"site","style":{"italic":true}},
			{"type":"link","url":"https://x.org/y"},{"type":"text","text":" "},
			{"type":"emoji","name":"wave","unicode":"1f44b"},{"type":"emoji","name":"corp"},
			{"type":"user","user_id":"U1"},{"type":"channel","channel_id":"C1"},{"type":"broadcast","range":"here"},
			{"type":"date","timestamp":1700000000,"format":"{date}","fallback":"then"}]},
			{"type":"rich_text_list","style":"bullet","indent":0,"elements":[
			{"type":"rich_text_section","elements":[{"type":"text","text":"one"}]},
			{"type":"rich_text_section","elements":[{"type":"text","text":"two\nmore"}]}]},
			{"type":"rich_text_list","style":"ordered","indent":1,"offset":2,"elements":[
			{"type":"rich_text_section","elements":[{"type":"text","text":"three"}]}]},
			{"type":"rich_text_quote","elements":[{"type":"text","text":"said\ntwice"}]},
			{"type":"rich_text_preformatted","language":"sh","elements":[{"type":"text","text":"ls\npwd"}]}`),
			"**bold** ~~`x`~~ *raw* *[site](https://x.org)*https://x.org/y 👋:corp:@U1#C1@here<time:1700000000>\n\n"+
				"* one\n* two\n  more\n  3. three\n\n> said\n> twice\n\n```sh\nls\npwd\n```"),
		// Markup.
		all(`{"text":"<!here> <!channel|chan> <!subteam^S1|@ops> <@U1|ann> <@U2> <#C1|general> `+
			`<!date^1700000000^{date}|then> <mailto:a@x.org|Ann> <tel:123> <https://x.org/?a=1&amp;b=2|*A &amp; B*>"}`,
			"@here @chan @ops @ann @U2 #general <time:1700000000> Ann 123 [**A & B**](https://x.org/?a=1&b=2)"),
		all(`{"text":"(*b*) \"_i_\" *_bi_* ~s~ snake_case_x 2*3*4 *a*b run: `+"```a *b*\\n&lt;c&gt;``` `*d*`"+`\n&gt; q"}`,
			"(**b**) \"*i*\" ***bi*** ~~s~~ snake_case_x 2*3*4 *a*b run: \n```\na *b*\n<c>\n```\n `*d*`\n> q"),
		all(`{"text":"*plain*","mrkdwn":false}`, "*plain*"),
	})
	// JSON that curl declares as a form, and after the mark that Windows puts before it.
	for _, body := range []string{`{"text":"50% & *more*"}`, "\ufeff" + `{"text":"50% & *more*"}`} {
		c := h.Anonymous()
		req := c.Request("POST /external/slack_incoming?stream=general&api_key="+h.key, strings.NewReader(body))
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		c.RoundTrip(req).OK()
		if got := h.last(); !strings.HasSuffix(got, "50% & **more**") {
			t.Errorf("message %s", got)
		}
		h.Anonymous().Do("POST /external/slack_incoming", "api_key", h.key, "stream", "general", "payload",
			`{"text":"-"}`).OK()
	}
}
