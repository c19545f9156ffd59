package slack

import (
	"strings"
	"testing"

	"github.com/stoachat/stoa/domain/importing"
)

// FuzzBlocks checks that no message with blocks, attachments and files ends in a panic, in a reference that its author
// wrote, or in a text that is much longer than the message.
func FuzzBlocks(f *testing.F) {
	for _, seed := range []string{
		`{"text":"t","blocks":[{"type":"rich_text","elements":[{"type":"rich_text_section","elements":[{"type":"text",` +
			`"text":"b","style":{"bold":true}},{"type":"user","user_id":"U1"},{"type":"emoji","name":"smile","skin_tone":3},` +
			`{"type":"date","timestamp":"5"},{"type":"link","url":"https://a.de","text":"]("}]},{"type":"rich_text_list",` +
			`"style":"ordered","indent":9,"offset":3,"elements":[{"type":"rich_text_quote","elements":[]}]}]}]}`,
		`{"blocks":[{"type":"section","text":{"type":"mrkdwn","text":"*a*"},"fields":[{"text":"|"}],"accessory":` +
			`{"type":"image","image_url":"x"}},{"type":"header","text":{"text":"#"}},{"type":"context","elements":[{}]},` +
			`{"type":"divider"},{"type":"video"},{"type":"markdown","text":"**"},{"type":"call"},{"type":"actions"},{}]}`,
		`{"blocks":[{"type":"table","rows":[[{"text":"1"}],[{"text":"1"},{"type":"rich_text","elements":[null]}],[],7]}]}`,
		`{"blocks":[{"type":"table","rows":[` + strings.Repeat(`[{}],`, 300) + `[{}` + strings.Repeat(`,{}`, 300) + `]]}]}`,
		`{"attachments":[{"is_msg_unfurl":true,"from_url":"https://a.de","message_blocks":[{"message":{"blocks":[{}]}}]},` +
			`{"title":"T","title_link":"x","fields":[{"title":"A","short":true},{"value":"|"}],"footer":"f","ts":1e99}]}`,
		`{"subtype":"huddle_thread","room":{"participants":["U1",7]}}`, `{"subtype":"channel_topic","topic":"<@U1>"}`,
		`{"files":[{"id":"F1","mode":"snippet","preview":"` + "```" + `","filetype":"a b"},{"url_private":"https://x"}]}`,
		"{\"text\":\"\\u0000p U1\\u0000\"}", `{"blocks":` + strings.Repeat(`[`, 60) + strings.Repeat(`]`, 60) + `}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, line string) {
		m, err := decode([]byte(line))
		if err != nil {
			return
		}
		c := newConverter()
		parts := c.content(m)
		md, files := render(parts), 0
		for _, one := range m.allFiles() {
			md = joined(md, render(one.show()))
			files++
		}
		if strings.Count(md, "\x00")%2 != 0 {
			t.Errorf("half of a reference in %q", md)
		}
		for _, r := range importing.References(md) {
			if r.Kind == importing.RefFile && files == 0 {
				t.Errorf("a reference that nothing made: %v", r)
			}
		}
		if plain := plainParts(parts); len(md) > 200*len(line)+1000 || len(plain) > 200*len(line)+1000 {
			t.Errorf("%d bytes become %d, and %d without markup", len(line), len(md), len(plain))
		}
	})
}

// A table whose rows have different numbers of cells does not grow with the product of both.
func TestWideTable(t *testing.T) {
	rows := make([][][]span, 20_000)
	for i := range rows {
		rows[i] = [][]span{{plain("a")}}
	}
	for range 20_000 {
		rows[0] = append(rows[0], []span{plain("b")})
	}
	if md := table(rows); len(md) > 1<<20 || !strings.Contains(md, "| a |\n| a |") {
		t.Errorf("%d bytes: %.100q", len(md), md)
	}
}
