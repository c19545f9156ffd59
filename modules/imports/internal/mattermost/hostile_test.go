package mattermost

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stoachat/stoa/domain/importing"
)

// lenient reads everything and returns the number of messages.
func lenient(t *testing.T, files map[string]string) (int64, *importing.Report) {
	t.Helper()
	report := importing.NewReport()
	in := importing.Input{Archive: zipped(t, files), Report: report, Now: now, EmojiCode: codes}
	s, err := Format.Open(t.Context(), in)
	if importing.IsUnusable(err) {
		return -1, report
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Scan(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := s.Files(t.Context(), func(*importing.File) error { return nil }); err != nil {
		t.Fatal(err)
	}
	c := &collected{}
	if err := s.Messages(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	n := int64(0)
	for _, m := range c.all {
		if m.Sender != notifier {
			n++
		}
	}
	return n, report
}

// TestMutations damages valid lines: no damage ends the import, and each line of a post is counted.
func TestMutations(t *testing.T) {
	m := generate(3)
	m.posts = m.posts[:100]
	for i := range m.posts {
		m.posts[i].replies = nil
	}
	valid := m.export()
	first := 0
	for !strings.Contains(valid[first], `"create_at"`) {
		first++
	}
	r := rand.New(rand.NewPCG(7, 7))
	values := []string{
		"null", "7", "-1", "1e400", "NaN", `"x"`, "[]", "{}", "[null]", "[{}]", `"\ud800"`, "99999999999999999999", "true",
		strings.Repeat("[", 100) + strings.Repeat("]", 100),
	}
	for range 60 {
		lines := append([]string(nil), valid...)
		for range 40 {
			i := 1 + r.IntN(len(lines)-1)
			l := lines[i]
			switch r.IntN(4) {
			case 0:
				lines[i] = l[:r.IntN(len(l))]
			case 1: // replace a value
				if at := strings.Index(l[r.IntN(len(l)):], `":`); at >= 0 {
					at += len(l) - len(l[r.IntN(len(l)):])
					if at+2 < len(l) {
						if colon := strings.Index(l[at:], `":`); colon >= 0 {
							from := at + colon + 2
							to := from + max(0, strings.IndexAny(l[from:], ",}"))
							lines[i] = l[:from] + values[r.IntN(len(values))] + l[to:]
						}
					}
				}
			case 2: // rename a key
				lines[i] = strings.Replace(l, []string{"create_at", "user", "message", "channel", "type"}[r.IntN(5)], "other", 1)
			default:
				at := r.IntN(len(l))
				lines[i] = l[:at] + string(rune(r.IntN(256))) + l[at+1:]
			}
			if strings.Contains(lines[i], "\n") || strings.TrimSpace(lines[i]) == "" {
				lines[i] = "x"
			}
		}
		n, report := lenient(t, map[string]string{"import.jsonl": strings.Join(lines, "\n")})
		if n < 0 {
			continue
		}
		c, others := report.Of(importing.Messages), report.Of(importing.Others)
		if sum := n + c.Skipped + c.Refused + others.Skipped + others.Refused; sum < int64(len(lines)-first) {
			t.Fatalf("%d of %d lines are counted: %+v", sum, len(lines)-first, report.Reasons())
		}
	}
}

func TestLongLines(t *testing.T) {
	long := strings.Repeat("x", importing.MaxValue-1000)
	n, _ := lenient(t, map[string]string{"import.jsonl": head + postOf(fmt.Sprintf(`,"message":%q`, long))})
	if n != 1 {
		t.Errorf("%d messages of 16 MiB", n)
	}
	n, report := lenient(t, map[string]string{
		"import.jsonl": head + postOf(fmt.Sprintf(`,"message":%q`, long+long)) + postOf(`,"message":"x"`),
	})
	if n != 1 || report.Of(importing.Others).Refused != 1 {
		t.Errorf("%d messages: %+v", n, report.Reasons())
	}
}

func TestManyMentions(t *testing.T) {
	s, _ := opened(t, importing.Options{}, map[string]string{"import.jsonl": head})
	for _, text := range []string{"@", "`", "~", ":", "![", "@a.", "``x`", "http://"} {
		s.(*source).markdown(strings.Repeat(text, 200_000))
	}
}

func TestCanceled(t *testing.T) {
	s, _ := opened(t, importing.Options{}, map[string]string{"import.jsonl": head})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Messages(ctx, &collected{}); err == nil {
		t.Error("the reading goes on")
	}
}

func FuzzMarkdown(f *testing.F) {
	for _, text := range []string{"@ada ~dev :smile:", "```\n`", "![a](b =1x1)", "@**all**"} {
		f.Add(text)
	}
	s := &source{index: index{users: map[importing.Key]*userLine{"ada": {}}}}
	s.EmojiCode = codes
	f.Fuzz(func(t *testing.T, text string) {
		if got := s.markdown(text); strings.Count(got, "\x00")%2 != 0 {
			t.Errorf("%q: half of a reference in %q", text, got)
		}
	})
}
