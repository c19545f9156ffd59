package registry

import (
	"context"
	"testing"

	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/modules/kit"
)

// TestExtensions checks that operators of narrows, bots, pieces of Markdown and rate classes that cannot work are
// refused.
func TestExtensions(t *testing.T) {
	operator := func(name, doc string) kit.Parts {
		return kit.Parts{Operators: []kit.Operator{kit.OperatorByMessage(name, doc,
			func(string) (func(*message.Message) bool, error) { return nil, nil })}}
	}
	written := func(context.Context, kit.Written) (string, error) { return "", nil }
	block := func(language string) kit.Parts {
		return kit.Parts{Markdown: []kit.Construct{kit.MarkdownBlock(language, "A.", written)}}
	}
	inline := func(open, close string) kit.Parts {
		return kit.Parts{Markdown: []kit.Construct{kit.MarkdownInline(open, close, "A.", written)}}
	}
	rate := func(r kit.RateClass, class string) kit.Parts {
		handler := func(context.Context, kit.Actor, kit.None) (kit.None, error) { return kit.None{}, nil }
		return kit.Parts{
			Rates: []kit.RateClass{r}, Endpoints: []kit.Endpoint{kit.GET("/y", kit.Users, handler, "").Rate(class)},
		}
	}
	one := func(p kit.Parts) []kit.Contribution { return []kit.Contribution{{Module: "m", Parts: p}} }
	for _, c := range []struct {
		all  []kit.Contribution
		want string
	}{
		{one(operator("ticket", "A.")), ""},
		{one(operator("sender", "A.")), `module m: operator "sender": is an operator of the server; choose another name`},
		{one(operator("pm-with", "A.")), `module m: operator "pm-with": is an operator of the server; choose another name`},
		{one(operator("-ticket", "A.")),
			`module m: operator "-ticket": the name must consist of lower-case letters, digits and hyphens, at most 40`},
		{one(operator("ticket", "")), `module m: operator "ticket": needs a sentence that says what it selects`},
		{one(kit.Parts{Operators: []kit.Operator{{Name: "ticket", Doc: "A."}}}), `module m: operator "ticket": has no ` +
			`function; create it with kit.OperatorByRows or kit.OperatorByMessage`},
		{append(one(operator("ticket", "A.")), kit.Contribution{Module: "n", Parts: operator("ticket", "A.")}),
			"module n: operator ticket is also in module m; keep one"},

		{one(kit.Parts{Bots: []string{"helper", "helper-*"}}), ""},
		{one(kit.Parts{Bots: []string{"*"}}), `module m: bot "*": the name must consist of lower-case letters, digits and ` +
			"hyphens, at most 40, and may end with -*"},
		{append(one(kit.Parts{Bots: []string{"a"}}), kit.Contribution{Module: "n", Parts: kit.Parts{Bots: []string{"a"}}}),
			"module n: bot a is also in module m; keep one"},

		{one(block("bars")), ""},
		{one(block("spoiler")), "module m: Markdown construct ```spoiler: is a block of the server; choose another language"},
		{one(block("Bars")),
			"module m: Markdown construct ```Bars: the language must consist of lower-case letters, digits, - and _"},
		{one(inline("{{", "}}")), ""},
		{one(inline("@*", "*")), "module m: Markdown construct @*: has a mark of the server; choose another"},
		{one(inline("x(", ")")), "module m: Markdown construct x(: needs marks of 2 to 10 printable ASCII characters that " +
			"begin with punctuation"},
		{append(one(block("bars")), kit.Contribution{Module: "n", Parts: block("bars")}),
			"module n: Markdown construct ```bars is also in module m; keep one"},

		{one(rate(kit.RateClass{Name: "cards", Doc: "A.", PerUser: 1}, "cards")), ""},
		{one(rate(kit.RateClass{Name: "cards", Doc: "A."}, "cards")),
			`module m: rate class "cards" needs a limit, PerUser or PerRealm`},
		{one(rate(kit.RateClass{Name: "polls", Doc: "A.", PerUser: 1}, "polls")),
			`module m: rate class "polls" is a class of the server; choose another name`},
		{one(rate(kit.RateClass{Name: "cards", Doc: "A.", PerUser: 1}, "boards")),
			`module m: GET /y has the rate class "boards", which the module does not declare; add it to Rates`},
	} {
		if got := Contributions(c.all).Error(); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
