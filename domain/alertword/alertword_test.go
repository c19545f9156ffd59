package alertword_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stoachat/stoa/domain/alertword"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/user"
)

func TestIn(t *testing.T) {
	x := alertword.NewIndex(map[user.ID][]string{
		1: {"lunch", "big news"}, 2: {"lunch"}, 3: {"größe"}, 4: {"c++"}, 5: {"*"},
	})
	for _, c := range []struct {
		text string
		want user.Set
	}{
		{"lunch", user.Set{1, 2}},
		{"LUNCH!", user.Set{1, 2}},
		{"free (lunch), now", user.Set{1, 2}},
		{"lunchtime", nil},
		{"prelunch", nil},
		{"pre-lunch", nil},
		{"/lunch", nil},
		{"lunch/", nil},
		{"lunch)", user.Set{1, 2}},
		{"lunch(", nil},
		{")lunch", nil},
		{"?lunch", nil},
		{":lunch:", nil},
		{"x\nlunch?", user.Set{1, 2}},
		{"`lunch`", user.Set{1, 2}},
		{"**lunch**", user.Set{1, 2, 5}}, // even a star between others
		{"> lunch", user.Set{1, 2}},
		{">lunch", user.Set{1, 2}},
		{"@lunch", nil},
		{"Big News today", user.Set{1}},
		{"big  news", nil},
		{"Die GRÖSSE", nil},
		{"Die GRÖßE.", user.Set{3}},
		{"in C++, C", user.Set{4}},
		{"a * b", user.Set{5}},
		{"a*b", nil},
		{"```\nlunch\n```", nil},
		{"```\nlunch\n``` \nlunch", user.Set{1, 2}},
		{"~~~ python\nlunch", nil},
		{"```bash ~/.profile\nlunch\n```", nil},
		{"~~~spoiler `a`\n~~~~\nlunch\n~~~~\nbig news", user.Set{1}},
		{"`\x02``\nlunch\n```", nil}, // the renderer removes the character
		{"x\r```\rlunch", nil},
		{"``` quote\nlunch\n```", user.Set{1, 2}},
		{"```spoiler lunch\nx\n```", user.Set{1, 2}},
		{"````quote\n```\nlunch\n```\nbig news\n````", user.Set{1}},
		{"```quote\n```py\nlunch\n```\nbig news\n```", user.Set{1}},
		{"```quote\n```math\nbig news\n~~~quote\n```\n```\nlunch", user.Set{1, 2}},
		{" ```\nlunch\n```", user.Set{1, 2}},
		{"", nil},
	} {
		if got := x.In(c.text, ""); !slices.Equal(got, c.want) {
			t.Errorf("%q: %v, want %v", c.text, got, c.want)
		}
	}
}

// A fence without a language uses the realm's default.
func TestDefaultLanguage(t *testing.T) {
	x := alertword.NewIndex(map[user.ID][]string{1: {"lunch"}})
	for language, want := range map[string]user.Set{"": nil, "py": nil, "Quote": {1}, "spoiler": {1}, "math": nil} {
		if got := x.In("```\nlunch\n```", language); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", language, got, want)
		}
	}
}

func TestWith(t *testing.T) {
	var none *alertword.Index
	if got := none.In("lunch", ""); got != nil {
		t.Errorf("nothing: %v", got)
	}
	one := none.With(1, []string{"lunch", "tea"}, nil)
	both := one.With(2, []string{"lunch"}, nil)
	left := both.With(1, nil, []string{"lunch", "cake"})
	for i, c := range []struct {
		x    *alertword.Index
		want user.Set
	}{{one, user.Set{1}}, {both, user.Set{1, 2}}, {left, user.Set{2}}, {left.With(2, nil, []string{"lunch"}), nil}} {
		if got := c.x.In("lunch", ""); !slices.Equal(got, c.want) {
			t.Errorf("%d: %v, want %v", i, got, c.want)
		}
	}
	if got := left.In("tea", ""); !slices.Equal(got, user.Set{1}) {
		t.Errorf("tea: %v", got)
	}
}

func TestClean(t *testing.T) {
	got, err := alertword.Clean([]string{" Lunch ", "", "lunch", "big news", "\t"})
	if err != nil || !slices.Equal(got, []string{"Lunch", "big news"}) {
		t.Errorf("%q %v", got, err)
	}
	if _, err := alertword.Clean([]string{strings.Repeat("ä", 100)}); err != nil {
		t.Error(err)
	}
	for _, bad := range []string{strings.Repeat("ä", 101), "a\x00b", "\xff"} {
		if _, err := alertword.Clean([]string{"x", bad}); !errs.Is(err, errs.BadRequest) {
			t.Errorf("%q: %v", bad, err)
		}
	}
	if got, err := alertword.Add([]string{"Tea"}, []string{"tea", "cake"}); err != nil ||
		!slices.Equal(got, []string{"cake"}) {
		t.Errorf("%q %v", got, err)
	}
	if _, err := alertword.Add(make([]string, alertword.MaxCount), []string{"tea"}); !errs.Is(err, errs.BadRequest) {
		t.Errorf("too many: %v", err)
	}
	if got := alertword.Common([]string{"Tea", "cake"}, []string{"tEA", "x"}); !slices.Equal(got, []string{"Tea"}) {
		t.Errorf("%q", got)
	}
}

// BenchmarkIn measures the cost of a message in a realm with many words.
func BenchmarkIn(b *testing.B) {
	words := map[user.ID][]string{}
	for u := range user.ID(10_000) {
		words[u+1] = []string{"word" + strings.Repeat("x", int(u%20)), "phrase of words"}
	}
	x := alertword.NewIndex(words)
	text := strings.Repeat("An ordinary message has some words. ", 4)
	for b.Loop() {
		x.In(text, "")
	}
}
