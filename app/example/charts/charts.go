// Package charts shows numbers as bars. It is an example of a module that renders pieces of Markdown: a block
//
//	```bars
//	apples 3
//	pears 5
//	```
//
// becomes a table, and {{3/5}} in a line a bar.
package charts

import (
	"context"
	"errors"
	"html"
	"strconv"
	"strings"

	"github.com/stoachat/stoa/modules/kit"
	"go.uber.org/fx"
)

// Module is the module. Append it to the list in main.
var Module = kit.Define("charts", "Shows numbers in messages as bars.", kit.None{}, wire)

func wire(kit.None, struct{ fx.In }) (kit.Parts, error) {
	return kit.Parts{Markdown: []kit.Construct{
		kit.MarkdownBlock("bars", "A table of bars.", bars),
		kit.MarkdownInline("{{", "}}", "A bar, such as {{3/5}}.", bar),
	}}, nil
}

const maxBar = 40 // characters

func bars(_ context.Context, w kit.Written) (string, error) {
	var b strings.Builder
	b.WriteString("<table><tbody>")
	for line := range strings.Lines(w.Text) {
		name, number, _ := strings.Cut(strings.TrimSpace(line), " ")
		n, err := strconv.Atoi(number)
		if err != nil || n < 0 || n > maxBar {
			return "", errors.New("a line is not a word and a number up to 40")
		}
		b.WriteString("<tr><td>" + html.EscapeString(name) + `</td><td class="charts-bar">` +
			strings.Repeat("█", n) + "</td></tr>")
	}
	return b.String() + "</tbody></table>", nil
}

func bar(_ context.Context, w kit.Written) (string, error) {
	part, all, _ := strings.Cut(w.Text, "/")
	n, err := strconv.Atoi(part)
	of, err2 := strconv.Atoi(all)
	if err != nil || err2 != nil || n < 0 || of < n || of > maxBar {
		return "", errors.New("not a part of a number up to 40")
	}
	return `<span class="charts-bar">` + strings.Repeat("█", n) + strings.Repeat("░", of-n) + "</span>", nil
}
