package messages_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/modules/messages"
)

// page is the response of GET /messages.
type page struct {
	Messages []struct {
		ID    int64    `json:"id"`
		Flags []string `json:"flags"`
	} `json:"messages"`
	Anchor      int64
	FoundAnchor bool `json:"found_anchor"`
	FoundOldest bool `json:"found_oldest"`
	FoundNewest bool `json:"found_newest"`
	Limited     bool `json:"history_limited"`
}

func list(s *kittest.Server, as string, params ...string) page {
	s.T.Helper()
	var p page
	s.As(as).Do("GET /messages", params...).OK().JSON(&p)
	return p
}

func (p page) ids() string {
	var out []string
	for _, m := range p.Messages {
		out = append(out, fmt.Sprint(m.ID))
	}
	return strings.Join(out, " ")
}

func TestRanges(t *testing.T) {
	s := kittest.StartWith(t, unlimited(), messages.Module)
	for range 9 {
		post(s, "alice", "general", "x", "y")
	}
	for _, c := range []struct {
		params string
		want   string // IDs, anchor, then which of anchor, oldest and newest were found
	}{
		{"anchor=newest&num_before=3", "7 8 9|9|an"},
		{"anchor=newest&num_before=3&num_after=5", "7 8 9|9|an"},
		{"anchor=newest&num_before=9", "1 2 3 4 5 6 7 8 9|9|an"},
		{"anchor=newest&num_before=10", "1 2 3 4 5 6 7 8 9|9|aon"},
		{"anchor=newest", "|9|n"},
		{"anchor=10000000000000000&num_before=2", "8 9|9|an"},
		{"anchor=99999999999999999999999&num_before=2", "8 9|9|an"},
		{"anchor=oldest&num_after=2", "1 2|1|ao"},
		{"anchor=oldest&num_after=20", "1 2 3 4 5 6 7 8 9|1|aon"},
		{"anchor=-5&num_after=2", "1 2|1|ao"},
		{"anchor=5&num_before=2&num_after=2", "3 4 5 6 7|5|a"},
		{"anchor=5&num_before=2", "3 4 5|5|a"},
		{"anchor=5&num_after=2", "5 6 7|5|a"},
		{"anchor=5", "5|5|a"},
		{"anchor=5&include_anchor=false", "|5|"},
		{"anchor=5&num_before=2&include_anchor=false", "3 4|5|"},
		{"anchor=5&num_after=2&include_anchor=false", "6 7|5|"},
		{"anchor=2&num_before=2", "1 2|2|ao"},
		{"anchor=3&num_before=2", "1 2 3|3|a"},
		{"anchor=8&num_after=2", "8 9|8|an"},
		{"anchor=50&num_before=2&num_after=2", "8 9|50|n"},
		{"anchor=50&num_before=2", "8 9|50|"},
		{"anchor=50", "|50|"},
		{"anchor=9&num_before=20&num_after=20", "1 2 3 4 5 6 7 8 9|9|aon"},
	} {
		var params []string
		for p := range strings.SplitSeq(c.params, "&") {
			name, value, _ := strings.Cut(p, "=")
			params = append(params, name, value)
		}
		for _, narrow := range []string{`[]`, `[["channel","general"]]`, `[["topic","X"]]`,
			`[["sender","alice@example.com"]]`} {
			p := list(s, "bob", append(params, "narrow", narrow)...)
			found := ""
			for letter, is := range map[string]bool{"a": p.FoundAnchor, "o": p.FoundOldest, "n": p.FoundNewest} {
				if is {
					found += letter
				}
			}
			got := fmt.Sprintf("%s|%d|%s", p.ids(), p.Anchor, found)
			a, b, _ := strings.Cut(c.want, "|")
			wantAnchor, wantFound, _ := strings.Cut(b, "|")
			if p.ids() != a || fmt.Sprint(p.Anchor) != wantAnchor || len(found) != len(wantFound) ||
				strings.Trim(found, wantFound) != "" || p.Limited {
				t.Errorf("%s in %s: %s, want %s", c.params, narrow, got, c.want)
			}
		}
	}
}

func TestFirstUnread(t *testing.T) {
	s := kittest.Start(t, messages.Module)
	for i := range 6 {
		post(s, "alice", "general", fmt.Sprint("t", i%2), "y")
	}
	if p := list(s, "bob", "anchor", "first_unread", "num_before", "1", "num_after", "1"); p.ids() != "1 2" ||
		p.Anchor != 1 {
		t.Errorf("all unread: %s at %d", p.ids(), p.Anchor)
	}
	s.As("bob").Do("POST /messages/flags", "op", "add", "flag", "read", "messages", "[1,2,3]").OK()
	if p := list(s, "bob", "anchor", "first_unread", "num_before", "1", "num_after", "1"); p.ids() != "3 4 5" ||
		p.Anchor != 4 || !p.FoundAnchor {
		t.Errorf("from the fourth: %s at %d", p.ids(), p.Anchor)
	}
	if p := list(s, "bob", "use_first_unread_anchor", "true", "num_before", "1", "num_after", "0", "narrow",
		`[["topic","t0"]]`); p.ids() != "3 5" || p.Anchor != 5 {
		t.Errorf("in a topic: %s at %d", p.ids(), p.Anchor)
	}
	s.As("bob").Do("POST /messages/flags", "op", "add", "flag", "read", "messages", "[4,5,6]").OK()
	if p := list(s, "bob", "anchor", "first_unread", "num_before", "2", "num_after", "2"); p.ids() != "5 6" ||
		!p.FoundNewest {
		t.Errorf("all read: %s at %d", p.ids(), p.Anchor)
	}
	// With the legacy parameter, the answer's anchor is past all messages; clients that send it rely on this.
	if p := list(s, "bob", "anchor", "0", "use_first_unread_anchor", "true", "num_before", "2", "num_after",
		"2"); p.ids() != "5 6" ||
		p.Anchor != 10000000000000000 || p.FoundAnchor || !p.FoundNewest {
		t.Errorf("all read, legacy parameter: %s at %d, found %v", p.ids(), p.Anchor, p.FoundAnchor)
	}
	if p := list(s, "bob", "anchor", "5", "use_first_unread_anchor", "false", "num_before", "0", "num_after",
		"0"); p.Anchor != 5 {
		t.Errorf("legacy parameter turned off: at %d", p.Anchor)
	}
}

func TestAnchorDate(t *testing.T) {
	s := kittest.Start(t, messages.Module)
	for range 5 {
		post(s, "alice", "general", "x", "y")
		s.Clock.Advance(time.Hour)
	}
	start := s.Clock.Now().Add(-5 * time.Hour)
	for _, c := range []struct {
		hours  int
		anchor int64
		ids    string
	}{{-10, 1, "1 2"}, {0, 1, "1 2"}, {1, 2, "1 2 3"}, {4, 5, "4 5"}, {9, 5, "5"}} {
		at := start.Add(time.Duration(c.hours) * time.Hour).Format("2006-01-02T15:04:05Z")
		if p := list(s, "bob", "anchor", "date", "anchor_date", at, "num_before", "1", "num_after",
			"1"); p.Anchor != c.anchor || p.ids() != c.ids {
			t.Errorf("%+d h: %s at %d, want %s at %d", c.hours, p.ids(), p.Anchor, c.ids, c.anchor)
		}
	}
	s.As("bob").Do("GET /messages", "anchor", "date").Error(400, "REQUEST_VARIABLE_MISSING", "anchor_date")
	s.As("bob").Do("GET /messages", "anchor", "date", "anchor_date", "tomorrow").Error(400, "BAD_REQUEST",
		"Invalid anchor_date")
}

func TestListRefuses(t *testing.T) {
	s := kittest.Start(t, messages.Module)
	for _, c := range []struct {
		params    []string
		code, msg string
	}{
		{nil, "REQUEST_VARIABLE_MISSING", "Missing 'anchor' argument"},
		{[]string{"anchor", "soon"}, "BAD_REQUEST", "Invalid anchor"},
		{[]string{"anchor", "1", "num_before", "-1"}, "BAD_REQUEST", "num_before"},
		{[]string{"anchor", "1", "num_before", "x"}, "BAD_REQUEST", "num_before"},
		{[]string{"anchor", "1", "num_before", "2501", "num_after", "2500"}, "BAD_REQUEST",
			"Too many messages requested (maximum 5000)."},
		{[]string{"anchor", "1", "num_before", "1", "num_after", "1", "include_anchor", "false"}, "BAD_REQUEST",
			"The anchor can only be excluded at an end of the range"},
		{[]string{"anchor", "1", "message_ids", "[1]"}, "INCOMPATIBLE_PARAMETERS",
			"Unsupported parameter combination: anchor, message_ids"},
		{[]string{"message_ids", `["x"]`}, "BAD_REQUEST", "message_ids"},
		{[]string{"anchor", "1", "narrow", "{}"}, "BAD_REQUEST", "narrow is not a list"},
		{[]string{"anchor", "1", "narrow", "[["}, "BAD_REQUEST", "narrow"},
		{[]string{"anchor", "1", "narrow", `[["stuff","x"]]`}, "BAD_NARROW",
			"Invalid narrow operator: unknown operator stuff"},
	} {
		s.As("bob").Do("GET /messages", c.params...).Error(400, c.code, c.msg)
	}
	many := "message_ids=" + url.QueryEscape(kittest.JSON(make([]int, 5001)))
	s.As("bob").Send("GET /messages", "application/x-www-form-urlencoded", strings.NewReader(many)).
		Error(400, "BAD_REQUEST", "Too many messages requested (maximum 5000).")
	if got := s.As("bob").Do("GET /messages", "anchor", "1", "narrow",
		`[["stuff","x"]]`).String("desc"); got != "unknown operator stuff" {
		t.Errorf("desc %q", got)
	}
	if got := s.As("bob").Do("GET /messages", "num_after", "1", "message_ids",
		"[1]").String("parameters"); got != "num_after, message_ids" {
		t.Errorf("parameters %q", got)
	}
	s.Anonymous().Do("GET /messages", "anchor", "newest").Error(401, "UNAUTHORIZED", "")
}

func TestNarrows(t *testing.T) {
	s := kittest.StartWith(t, unlimited(), messages.Module)
	var (
		lunch  = post(s, "alice", "general", "Lunch", "soup?")
		_      = post(s, "bob", "general", "lunch", "yes, @**Olga**")
		done   = post(s, "olga", "general", "✔ dinner", "see https://example.com/menu")
		hidden = post(s, "alice", "secret", "plans", "@**all** hush")
		both   = sendDirect(s, "alice", "psst", "bob")
		three  = sendDirect(s, "bob", "all three", "alice", "olga")
		self   = sendDirect(s, "bob", "note", "bob")
	)
	s.As("bob").Do("POST /messages/flags", "op", "add", "flag", "starred", "messages",
		kittest.JSON([]int64{lunch, three})).OK()
	s.As("bob").Do("POST /messages/flags", "op", "add", "flag", "read", "messages",
		kittest.JSON([]int64{lunch, done})).OK()
	bob, alice := s.UserID("bob"), s.UserID("alice")
	for _, c := range []struct{ as, narrow, want string }{
		{"bob", `[]`, "1 2 3 5 6 7"},
		{"alice", `[]`, "1 2 3 4 5 6"},
		{"olga", `[]`, "1 2 3 4 6"},
		{"adam", `[]`, ""},
		{"guest", `[]`, "1 2 3"},
		{"bob", `[["channel","general"]]`, "1 2 3"},
		{"adam", `[["channel","general"]]`, "1 2 3"},
		{"adam", `[["channels","public"]]`, "1 2 3"},
		{"guest", `[["channels","public"]]`, "1 2 3"},
		{"adam", `[["channels","web-public"]]`, ""},
		{"olga", `[["channel","secret"]]`, "4"},
		{"olga", `[{"operator":"channel","operand":"secret","negated":true}]`, "1 2 3 6"},
		{"bob", `[["channel","general"],["topic","LUNCH"]]`, "1 2"},
		{"bob", `[["topic","lunch"]]`, "1 2"},
		{"bob", `[["channel","general"],{"operator":"topic","operand":"lunch","negated":true}]`, "3"},
		{"bob", `[["stream","general"],["sender","bob@example.com"]]`, "2"},
		{"bob", `[["sender","alice@example.com"]]`, "1 5"},
		{"bob", `[["sender","bob@example.com"]]`, "2 6 7"},
		{"bob", fmt.Sprintf(`[{"operator":"sender","operand":%d,"negated":true}]`, bob), "1 3 5"},
		{"bob", `[["dm","alice@example.com"]]`, "5"},
		{"bob", fmt.Sprintf(`[{"operator":"dm","operand":[%d,%d]}]`, alice, s.UserID("olga")), "6"},
		{"bob", `[["dm","bob@example.com"]]`, "7"},
		{"bob", `[["dm","mona@example.com"]]`, ""},
		{"bob", `[["dm",""]]`, ""},
		{"adam", fmt.Sprintf(`[{"operator":"dm","operand":[%d]}]`, bob), ""},
		{"bob", fmt.Sprintf(`[{"operator":"dm-including","operand":%d}]`, alice), "5 6"},
		{"bob", fmt.Sprintf(`[{"operator":"dm-including","operand":%d}]`, bob), "5 6 7"},
		{"bob", fmt.Sprintf(`[{"operator":"group-pm-with","operand":%d}]`, alice), "6"},
		{"bob", `[["is","dm"]]`, "5 6 7"},
		{"bob", `[{"operator":"is","operand":"dm","negated":true}]`, "1 2 3"},
		{"bob", `[["is","starred"]]`, "1 6"},
		{"bob", `[{"operator":"is","operand":"starred","negated":true}]`, "2 3 5 7"},
		{"bob", `[["is","starred"],["channel","general"]]`, "1"},
		{"bob", `[["is","unread"]]`, "2 5 6 7"},
		{"bob", `[["is","unread"],["is","dm"]]`, "5 6 7"},
		{"bob", `[{"operator":"is","operand":"unread","negated":true}]`, "1 3"},
		{"olga", `[["is","mentioned"]]`, "2 4"},
		{"olga", `[["is","mentioned"],["channel","secret"]]`, "4"},
		{"bob", `[["is","mentioned"]]`, ""},
		{"olga", `[{"operator":"is","operand":"mentioned","negated":true}]`, "1 3 6"},
		{"bob", fmt.Sprintf(`[{"operator":"mentions","operand":%d}]`, s.UserID("olga")), "2"},
		{"olga", fmt.Sprintf(`[{"operator":"mentions","operand":%d,"negated":true}]`, s.UserID("olga")), "1 3 4 6"},
		{"bob", `[["is","resolved"]]`, "3"},
		{"bob", `[["channel","general"],["is","resolved"]]`, "3"},
		{"bob", `[{"operator":"is","operand":"resolved","negated":true}]`, "1 2 5 6 7"},
		{"bob", `[["has","link"]]`, "3"},
		{"bob", `[["has","reaction"]]`, ""},
		{"bob", `[["has","attachment"]]`, ""},
		{"bob", `[["in","home"]]`, "1 2 3 5 6 7"},
		{"bob", `[["is","followed"]]`, ""},
		{"bob", `[["is","alerted"]]`, ""},
		{"bob", `[["id","1"]]`, "1"},
		{"bob", fmt.Sprintf(`[["id","%d"]]`, hidden), ""},
		{"bob", `[["near","2"]]`, "1 2 3 5 6 7"},
		{"bob", `[["with","2"]]`, "1 2"},
		{"bob", fmt.Sprintf(`[["channel","general"],["topic","elsewhere"],["with","%d"]]`, both), "5"},
		{"bob", fmt.Sprintf(`[["channel","general"],["topic","lunch"],["with","%d"]]`, hidden), "1 2"},
		{"bob", fmt.Sprintf(`[["with","%d"]]`, self), "7"},
	} {
		for _, params := range [][]string{{"anchor", "newest", "num_before", "100"}, {"anchor", "oldest", "num_after", "100"},
			{"anchor", "4", "num_before", "50", "num_after", "50"}} {
			if p := list(s, c.as, append(params, "narrow", c.narrow)...); p.ids() != c.want {
				t.Errorf("%s %s %v: %q, want %q", c.as, c.narrow, params, p.ids(), c.want)
			}
		}
	}
	s.As("bob").Do("GET /messages", "anchor", "newest", "narrow", fmt.Sprintf(`[["with","%d"]]`, hidden)).
		Error(400, "BAD_NARROW", "Invalid narrow operator: Invalid 'with' operator")
	for _, path := range []string{"GET /messages", "GET /messages/matches_narrow"} {
		for name, operand := range map[string]string{"secret": `"secret"`, "nowhere": `"nowhere"`,
			fmt.Sprint(s.ChannelID("secret")): fmt.Sprint(s.ChannelID("secret")), "999": "999"} {
			s.As("bob").Do(path, "anchor", "newest", "msg_ids", "[1]", "narrow",
				fmt.Sprintf(`[{"operator":"channel","operand":%s}]`, operand)).
				Is(400, fmt.Sprintf(`{"result":"error","code":"BAD_NARROW","msg":"Invalid narrow operator: unknown channel `+
					`%[1]s","desc":"unknown channel %[1]s"}`, name))
		}
	}
}

func TestFlagsInHistory(t *testing.T) {
	s := kittest.Start(t, messages.Module)
	id := post(s, "alice", "general", "x", "@**all** y")
	p := list(s, "adam", "anchor", "newest", "num_before", "5", "narrow", `[["channel","general"]]`)
	if len(p.Messages) != 1 || strings.Join(p.Messages[0].Flags, " ") != "read historical" {
		t.Errorf("not received: %+v", p)
	}
	s.As("adam").Do("POST /messages/flags", "op", "add", "flag", "starred", "messages", kittest.JSON([]int64{id})).OK()
	p = list(s, "adam", "anchor", "newest", "num_before", "5")
	if len(p.Messages) != 1 || strings.Join(p.Messages[0].Flags, " ") != "read starred historical" {
		t.Errorf("messages with flags belong to the user: %+v", p)
	}
	p = list(s, "bob", "anchor", "newest", "num_before", "5")
	if len(p.Messages) != 1 || strings.Join(p.Messages[0].Flags, " ") != "stream_wildcard_mentioned wildcard_mentioned" {
		t.Errorf("received: %+v", p)
	}
}

func TestMissingAndInvisible(t *testing.T) {
	s := kittest.Start(t, messages.Module)
	hidden, direct := post(s, "alice", "secret", "x", "y"), sendDirect(s, "alice", "y", "olga")
	missing := s.As("bob").Do("GET /messages/999").Error(400, "BAD_REQUEST", "Invalid message(s)")
	for _, id := range []int64{hidden, direct} {
		for _, who := range []string{"bob", "guest", "adam", "bot"} {
			if got := s.As(who).Do(fmt.Sprintf("GET /messages/%d", id)); got.Body != missing.Body ||
				got.Status != missing.Status {
				t.Errorf("%s, %d: %s", who, id, got.Body)
			}
		}
	}
	s.As("bob").Do("GET /messages", "message_ids", kittest.JSON([]int64{hidden, direct, 999})).Is(200,
		`{"result":"success","msg":"","messages":[],"found_anchor":false,"found_oldest":false,"found_newest":false,`+
			`"history_limited":false}`)
	seen := post(s, "alice", "general", "x", "y")
	if p := list(s, "bob", "message_ids", kittest.JSON([]int64{seen, hidden, seen})); p.ids() != fmt.Sprint(seen) {
		t.Errorf("by ids: %s", p.ids())
	}
	s.As("bob").Do("GET /messages/0").Error(400, "BAD_REQUEST", "Invalid message(s)")
	s.As("bob").Do("GET /messages/x").Error(404, "BAD_REQUEST", "Not found")
}

func TestMatchesNarrow(t *testing.T) {
	s := kittest.Start(t, messages.Module)
	a, b, c := post(s, "alice", "general", "a<b", "*x*"), post(s, "bob", "general", "c", "y"),
		post(s, "alice", "secret", "d", "z")
	s.As("bob").Do("GET /messages/matches_narrow", "msg_ids", kittest.JSON([]int64{a, b, c, 99}), "narrow",
		`[["sender","alice@example.com"]]`).
		Is(200, fmt.Sprintf(`{"result":"success","msg":"","messages":{"%d":{"match_content":"<p><em>x</em></p>",`+
			`"match_subject":"a&lt;b"}}}`, a))
	s.As("adam").Do("GET /messages/matches_narrow", "msg_ids", kittest.JSON([]int64{a, b}), "narrow",
		`[["channel","general"]]`).
		Is(200, `{"result":"success","msg":"","messages":{}}`)
}

func TestTopics(t *testing.T) {
	s := kittest.Start(t, messages.Module)
	general, secret := s.ChannelID("general"), s.ChannelID("secret")
	post(s, "alice", "general", "Lunch", "y")
	post(s, "alice", "general", "dinner", "y")
	post(s, "bob", "general", "lunch", "y")
	s.As("bob").Do(fmt.Sprintf("GET /users/me/%d/topics", general)).Is(200,
		`{"result":"success","msg":"","topics":[{"name":"lunch","max_id":3},{"name":"dinner","max_id":2}]}`)
	s.As("olga").Do(fmt.Sprintf("GET /users/me/%d/topics", secret)).Is(200, `{"result":"success","msg":"","topics":[]}`)
	missing := s.As("bob").Do("GET /users/me/999/topics").Error(400, "BAD_REQUEST", "Invalid channel ID")
	for _, who := range []string{"bob", "adam", "guest"} {
		if got := s.As(who).Do(fmt.Sprintf("GET /users/me/%d/topics", secret)); got.Body != missing.Body {
			t.Errorf("%s: %s", who, got.Body)
		}
	}
}

// TestWalks reads more messages and conversations than fit into one window or statement.
func TestWalks(t *testing.T) {
	s := kittest.StartWith(t, unlimited(), messages.Module)
	var own []string
	for i := range 300 {
		switch i % 3 {
		case 0:
			own = append(own, fmt.Sprint(post(s, "alice", "general", fmt.Sprint("t", i%7), "y")))
		case 1:
			post(s, "alice", "secret", "x", "y")
		case 2:
			own = append(own, fmt.Sprint(sendDirect(s, "bob", "y", []string{"olga", "adam", "mona", "bot", "bob"}[i%5])))
		}
	}
	var got []string
	for anchor := "oldest"; ; {
		p := list(s, "bob", "anchor", anchor, "num_after", "7", "include_anchor", fmt.Sprint(anchor == "oldest"))
		for _, m := range p.Messages {
			got = append(got, fmt.Sprint(m.ID))
			anchor = fmt.Sprint(m.ID)
		}
		if p.FoundNewest {
			break
		}
	}
	if strings.Join(got, " ") != strings.Join(own, " ") {
		t.Errorf("paged through %v, want %v", got, own)
	}
}
