package linkifier_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stoachat/stoa/domain/linkifier"
)

// found returns the matches of a pattern as text=URL.
func found(pattern, template, s string, begins bool) []string {
	work := linkifier.Work(len(s))
	out := []string{}
	for _, m := range linkifier.NewList(&linkifier.Linkifier{Pattern: pattern, URLTemplate: template}).All()[0].Find(s,
		begins, &work) {
		out = append(out, s[m.Start:m.End]+"="+m.URL)
	}
	return out
}

func TestFind(t *testing.T) {
	const number = `#(?P<id>[0-9]+)`
	for _, c := range []struct {
		pattern, in string
		want        []string
	}{
		{number, "", nil},
		{number, "#12", []string{"#12=u/12"}},
		{number, "see #12.", []string{"#12=u/12"}},
		{number, "#1 #2\n#3,#4", []string{"#1=u/1", "#2=u/2", "#3=u/3", "#4=u/4"}},
		{number, "#1#2", []string{"#1=u/1"}},
		{number, `'#1' "#2" (#3) a:#4 <#5>`, []string{"#1=u/1", "#2=u/2", "#3=u/3", "#4=u/4", "#5=u/5"}},
		{number, "a#1 [#2 /#3 *#4 ;#5 ##6", nil},
		{number, "#1a #2é #3٣ #4_ #5-", []string{"#4=u/4", "#5=u/5"}},
		{number, "\u0085#1\u00a0#2\u2003#3\u3000#4\v#5", []string{"#1=u/1", "#2=u/2", "#3=u/3", "#4=u/4", "#5=u/5"}},
		{number, "éé #1 é", []string{"#1=u/1"}},
		{`(?i)abc(?P<id>)`, "ABC abc xabc", []string{"ABC=u/", "abc=u/"}},
		{`(?P<id>x*)`, " xx y", []string{"xx=u/xx"}},
		{`(?P<id>)`, "a b\n", nil},
		{`^#(?P<id>\d+)$`, "#1", []string{"#1=u/1"}},
		{`^#(?P<id>\d+)`, "#1 #2", []string{"#1=u/1"}},
		{`#(?P<id>\d+)$`, "#1 #2", []string{"#2=u/2"}},
		{`#(?P<id>\d+?)`, "#123", []string{"#123=u/123"}},
		{`(?P<id>a|ab|abc)`, "abc", []string{"abc=u/abc"}},
		{`\Q#(\E(?P<id>\d)\Q)`, "#(1)", []string{"#(1)=u/1"}},
		{`a(?P<id>b)?(?:c)?`, "a ac ab", []string{"a=u/", "ac=u/", "ab=u/b"}},
		{`(?P<id>[^ ]+) z`, "a z b z", []string{"a z=u/a", "b z=u/b"}},
		{`(?m)^(?P<id>\d+)$`, "1\n2", []string{"1=u/1", "2=u/2"}},
	} {
		if got := found(c.pattern, "u/{id}", c.in, true); !slices.Equal(got, c.want) {
			t.Errorf("%s in %q: %q, want %q", c.pattern, c.in, got, c.want)
		}
	}
	if got := found(number, "u/{id}", "#1 #2", false); !slices.Equal(got, []string{"#2=u/2"}) {
		t.Errorf("not the start of a text: %q", got)
	}
	if got := found(number, strings.Repeat("a", 2040)+"{id}", "#1 #123456789 #2", true); len(got) != 2 {
		t.Errorf("a URL that is too long: %q", got)
	}
}

// The matches in a long text do not depend on the boundaries of search windows.
func TestFindLong(t *testing.T) {
	for _, pattern := range []string{`#(?P<id>[0-9]+)`, `[#](?P<id>[0-9]+)`, `(?i)n(?P<id>\d+)`,
		`[#](?P<id>[0-9]+(?:.*z)?)`} {
		for pad := range 40 {
			var b strings.Builder
			var want []string
			for i := range 60 {
				b.WriteString(strings.Repeat("é", pad+i%7) + fmt.Sprintf(" #%d ", i))
				want = append(want, fmt.Sprintf("#%d=u/%d", i, i))
			}
			if strings.HasPrefix(pattern, "(?i)") {
				want = []string{}
			}
			if got := found(pattern, "u/{id}", b.String(), true); !slices.Equal(got, want) {
				t.Fatalf("%s, %d between: %q", pattern, pad, got)
			}
		}
	}
	long := "#" + strings.Repeat("1", 600)
	if got := found(`#(?P<id>[0-9]+)`, "u/{id}", "a "+long+" #2", true); !slices.Equal(got, []string{"#2=u/2"}) {
		t.Errorf("longer than the maximum match: %q", got)
	}
}

// The cost of searching is bounded, even for a pattern with much lookahead at every position.
func TestWork(t *testing.T) {
	s := strings.Repeat("x ", 5000)
	work := linkifier.Work(len(s))
	hostile := linkifier.NewList(&linkifier.Linkifier{Pattern: `x(?P<id>(?:.{0,99}z)?)`, URLTemplate: "u/{id}"}).All()[0]
	if n := len(hostile.Find(s, true, &work)); work.Work >= 0 && n != 5000 || n == 0 {
		t.Errorf("%d found, %d left", n, work.Work)
	}
	spent := linkifier.Budget{}
	if got := hostile.Find(s, true, &spent); got != nil {
		t.Errorf("found %d without any cost", len(got))
	}
	late := linkifier.Work(len(s))
	searches := 0
	late.Over = func() bool { searches++; return searches > 3 }
	if got := hostile.Find(s, true, &late); len(got) != 3 {
		t.Errorf("%d found instead of 3", len(got))
	}
	plain := linkifier.NewList(&linkifier.Linkifier{Pattern: `x(?P<id>)`, URLTemplate: "u/{id}"}).All()[0]
	work = linkifier.Work(len(s))
	if n := len(plain.Find(s, true, &work)); n != 5000 || work.Work < 0 {
		t.Errorf("%d of 5000 found, %d left", n, work.Work)
	}
}
