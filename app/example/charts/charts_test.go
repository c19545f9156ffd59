package charts_test

import (
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"example.com/party/charts"
	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/modules/messages"
)

func TestModule(t *testing.T) { kittest.Check(t, charts.Module) }

// TestCharts checks what readers of messages with charts see, and that mistakes are shown as they were written.
func TestCharts(t *testing.T) {
	s := kittest.StartWith(t, kittest.Options{Log: slog.New(slog.DiscardHandler)}, messages.Module, charts.Module)
	html := func(text string) string {
		sent := s.As("alice").Do("POST /messages", "type", "channel", "to", "general", "topic", "x", "content", text)
		id := sent.OK().Int("id")
		return s.As("bob").Do(fmt.Sprintf("GET /messages/%d", id)).OK().String("message.content")
	}
	for text, want := range map[string]string{
		"**Done:** {{3/5}}": `<p><strong>Done:</strong> <span class="charts-bar">███░░</span></p>`,
		"{{9/5}}":           "<p>{{9/5}}</p>",
		"```bars\napples 3\n<b> 1\n```": `<div class="charts"><table><tbody>` +
			`<tr><td>apples</td><td class="charts-bar">███</td></tr>` +
			`<tr><td>&lt;b&gt;</td><td class="charts-bar">█</td></tr></tbody></table></div>`,
	} {
		if got := html(text); got != want {
			t.Errorf("%q: %s\nwant %s", text, got, want)
		}
	}
	if got := html("```bars\napples many\n```"); !strings.Contains(got, `class="codehilite"`) {
		t.Errorf("a mistake is shown as %s", got)
	}
}
