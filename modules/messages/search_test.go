package messages_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
)

func search(s *kittest.Server, as, narrow string, params ...string) page {
	s.T.Helper()
	return list(s, as, append([]string{"anchor", "newest", "num_before", "5000", "narrow", narrow}, params...)...)
}

func TestSearch(t *testing.T) {
	s := startFull(t)
	run := post(s, "alice", "general", "Lunch today", "We were **running** late &amp; hungry")
	han := post(s, "alice", "general", "x", "これは日本語です")
	secret := post(s, "alice", "secret", "x", "running in secret")
	direct := sendDirect(s, "bob", "I run too", "alice")
	check := func(when string) {
		t.Helper()
		for _, c := range []struct{ as, narrow, want string }{
			{"bob", `[["search","run"]]`, fmt.Sprint(run, " ", direct)},
			{"alice", `[["search","running"]]`, fmt.Sprint(run, " ", secret, " ", direct)},
			{"adam", `[["channels","public"],["search","run"]]`, fmt.Sprint(run)},
			{"adam", `[["search","run"]]`, ""},
			{"bob", `[["search","late lunch"]]`, fmt.Sprint(run)},
			{"bob", `[["search","late supper"]]`, ""},
			{"bob", `[["search","late"],["search","today"]]`, fmt.Sprint(run)},
			{"bob", `[["search","\"lunch today\""]]`, fmt.Sprint(run)},
			{"bob", `[["search","\"today lunch\""]]`, ""},
			{"bob", `[["search","hung"]]`, fmt.Sprint(run)},
			{"bob", `[["search","日本"]]`, fmt.Sprint(han)},
			{"bob", `[["search","日語"]]`, ""},
			{"bob", `[["search","&amp;"]]`, fmt.Sprint(run)},
			{"bob", `[["search","run"],["channel","general"]]`, fmt.Sprint(run)},
			{"bob", `[["search","run"],["is","dm"]]`, fmt.Sprint(direct)},
			{"bob", `[["search","run"],["sender","bob@example.com"]]`, fmt.Sprint(direct)},
			{"bob", `[{"operator":"search","operand":"run","negated":true}]`, fmt.Sprint(han)},
			{"bob", `[["search","run"],{"operator":"search","operand":"late","negated":true}]`, fmt.Sprint(direct)},
			{"bob", `[["search","\u0000"]]`, ""},
		} {
			if got := search(s.In(t), c.as, c.narrow).ids(); got != c.want {
				t.Errorf("%s: %s for %s: %s, want %s", when, c.narrow, c.as, got, c.want)
			}
		}
	}
	check("before they are in the index")
	s.RunJob("messages.search")
	check("from the index")
	more := post(s, "alice", "general", "x", "still running")
	if got := search(s, "bob", `[["search","run"]]`).ids(); got != fmt.Sprint(run, " ", direct, " ", more) {
		t.Errorf("with half of them indexed: %s", got)
	}
	if got := list(s, "bob", "anchor", "oldest", "num_after", "2", "narrow",
		`[["search","run"]]`).ids(); got != fmt.Sprint(run, " ", direct) {
		t.Errorf("upwards: %s", got)
	}
	edit(s, "alice", run, "content", "we walk").OK()
	edit(s, "alice", more, "topic", "marathon", "send_notification_to_new_thread", "false").OK()
	s.As("bob").Do(fmt.Sprintf("DELETE /messages/%d", direct)).OK()
	s.RunJob("messages.search")
	for narrow, want := range map[string]string{
		`[["search","run"]]`: fmt.Sprint(more), `[["search","walk"]]`: fmt.Sprint(run),
		`[["search","marathon"]]`: fmt.Sprint(more),
	} {
		if got := search(s, "bob", narrow).ids(); got != want {
			t.Errorf("after the changes: %s: %s, want %s", narrow, got, want)
		}
	}
}

func TestSearchShowsWhatMatches(t *testing.T) {
	s := startFull(t)
	id := post(s, "alice", "general", "Lunch <b>", "**run** & `running` x")
	other := post(s, "alice", "general", "x", "y")
	a := s.As("bob").Do("GET /messages", "anchor", "newest", "num_before", "5", "narrow", `[["search","run"]]`).OK()
	content := `<p><strong><span class="highlight">run</span></strong> &amp; <code><span ` +
		`class="highlight">running</span></code> x</p>`
	if got := a.String("messages.0.match_content"); got != content {
		t.Errorf("content: %s", got)
	}
	if got := a.String("messages.0.match_subject"); got != "Lunch &lt;b&gt;" {
		t.Errorf("subject: %s", got)
	}
	if s.As("bob").Do("GET /messages", "anchor", "newest", "num_before", "5").OK().Has("messages.0.match_content") {
		t.Error("highlighting without a search")
	}
	s.As("bob").Do("GET /messages/matches_narrow", "msg_ids", fmt.Sprintf("[%d,%d]", id, other), "narrow",
		`[["search","lunch"]]`).
		Is(200, fmt.Sprintf(`{"result":"success","msg":"","messages":{"%d":{"match_content":"<p><strong>run</strong> &amp; <code>running</code> x</p>",
			"match_subject":"<span class=\"highlight\">Lunch</span> &lt;b&gt;"}}}`, id))
	for operand, msg := range map[string]string{
		"": "operand cannot be blank.", "  ": "operand cannot be blank.",
		strings.Repeat("x", 1001): "The search is too long (maximum 1000 characters)",
	} {
		s.As("bob").Do("GET /messages", "anchor", "newest", "narrow", fmt.Sprintf(`[["search",%q]]`, operand)).Error(400,
			"BAD_REQUEST", msg)
	}
}

// Searches of 400 random texts in several scripts, half of them indexed, find the same messages as a scan without
// tokens.
func TestSearchRecall(t *testing.T) {
	s := startFull(t)
	r := rand.New(rand.NewPCG(7, 7))
	words := strings.Fields("apple banana cherry grape ÄPFEL äpfel 東京 京都 東京都 大阪 서울 hello42 x1 naïve Straße мир")
	texts := map[int64]string{}
	for i := range 400 {
		if i == 200 {
			s.RunJob("messages.search")
		}
		var b []string
		for range 1 + r.IntN(5) {
			b = append(b, words[r.IntN(len(words))])
		}
		text := strings.Join(b, []string{" ", ", ", "\n", " - "}[r.IntN(4)])
		texts[post(s, "alice", "general", fmt.Sprint("t", i%7), text)] = text
	}
	for _, w := range words {
		var want []int64
		for id, text := range texts {
			if strings.Contains(strings.ToLower(text), strings.ToLower(w)) {
				want = append(want, id)
			}
		}
		slices.Sort(want)
		p := search(s, "bob", fmt.Sprintf(`[["search",%q]]`, w))
		var got []int64
		for _, m := range p.Messages {
			got = append(got, m.ID)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: found %d messages, want %d", w, len(got), len(want))
		}
	}
}

// A run of the job indexes any number of messages, once each.
func TestIndexBacklog(t *testing.T) {
	s := startStored(t)
	sendToMany(s.Server)
	like := post(s.Server, "alice", "general", "lunch", "a unicorn")
	for _, n := range []int{1234, 999, 1} {
		s.fill(like, n, "recipient_id")
		s.RunJob("messages.search")
		if missing := s.count("messages WHERE id NOT IN (SELECT rowid FROM message_search)"); missing != 0 {
			t.Errorf("%d messages are not indexed", missing)
		}
	}
	found := search(s.Server, "bob", `[["search","unicorn"]]`).ids()
	if n := len(strings.Fields(found)); n != 1+1234+999+1 {
		t.Errorf("%d messages found", n)
	}
}
