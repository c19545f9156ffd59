package messages_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/app/kittest/testrun"
)

// Handwritten rules, one per operator, determine which messages of a small random realm a narrow should find. The
// server must find the same messages in every kind of channel and for every relation of the user to it.

// term is a narrow term as clients send it. The operand is a string, a number or a list of numbers.
type term struct {
	Operator string `json:"operator"`
	Operand  any    `json:"operand"`
	Negated  bool   `json:"negated"`
}

// unknown returns the error text of a refused term.
func (w *randomRealm) unknown(who string, x term) string {
	if x.Operator != "channel" {
		return ""
	}
	c := w.channelByID(x.Operand.(int64))
	known := c.in(who, true) || who == "adam" || c.kind == "web" || who != "guest" &&
		(c.kind == "public" || c.kind == "archived")
	if known {
		return ""
	}
	return fmt.Sprint("Invalid narrow operator: unknown channel ", c.id)
}

func (w *randomRealm) channelByID(id int64) *channelFixture {
	return w.rooms[slices.IndexFunc(w.rooms, func(c *channelFixture) bool { return c.id == id })]
}

// contradiction reports whether the contract calls the terms contradictory.
func contradiction(terms []term) bool {
	var inChannel, direct bool
	for _, x := range terms {
		isDM := x.Operator == "is" && (x.Operand == "dm" || x.Operand == "private")
		switch {
		case isDM && x.Negated:
			inChannel = true
		case x.Negated:
		case isDM:
			direct = true
		case slices.Contains([]string{"dm", "dm-including", "group-pm-with"}, x.Operator):
			direct = true
		case slices.Contains([]string{"channel", "channels", "topic"}, x.Operator):
			inChannel = true
		}
	}
	return inChannel && direct
}

// history reports whether full channel histories are searched.
func (w *randomRealm) history(who string, terms []term) bool {
	over := false
	for _, x := range terms {
		switch {
		case x.Operator == "is" && x.Operand != "resolved":
			return false
		case x.Negated:
		case x.Operator == "channel":
			c := w.channelByID(x.Operand.(int64))
			over = c.kind != "protected" && (c.in(who, true) || c.kind == "web" || who != "guest" && c.kind != "private")
		case x.Operator == "channels" && x.Operand != "archived":
			over = over || who != "guest"
		}
	}
	return over
}

// finds reports whether a user should find a message.
func (w *randomRealm) finds(who string, m *sentMessage, terms []term, history bool) bool {
	if !sees(who, m) || !history && !m.received[who] && !m.touched[who] {
		return false
	}
	topics := 0
	for _, x := range terms {
		if x.Operator == "topic" {
			if topics++; topics == 1 && x.Operand == "general chat" {
				x.Operand = ""
			}
		}
		if w.holds(who, m, x) == x.Negated {
			return false
		}
	}
	return true
}

func (w *randomRealm) holds(who string, m *sentMessage, x term) bool {
	word, _ := x.Operand.(string)
	number, _ := x.Operand.(int64)
	switch x.Operator {
	case "near":
		return !x.Negated // matches everything, negated or not
	case "channel":
		return m.channel != nil && m.channel.id == number
	case "channels":
		return m.channel != nil && map[string]bool{
			"public":     m.channel.kind == "public" || m.channel.kind == "web" || m.channel.kind == "archived",
			"web-public": m.channel.kind == "web",
			"archived":   m.channel.kind == "archived",
		}[word]
	case "topic":
		return m.channel != nil && strings.EqualFold(m.topic, word)
	case "dm":
		want := map[int64]bool{int64(w.UserID(who)): true}
		for _, id := range x.Operand.([]int64) {
			want[id] = true
		}
		return len(x.Operand.([]int64)) > 0 && m.channel == nil && len(m.members) == len(want) &&
			!slices.ContainsFunc(m.members, func(p string) bool { return !want[int64(w.UserID(p))] })
	case "dm-including", "group-pm-with":
		isMember := func(p string) bool { return int64(w.UserID(p)) == number }
		with := m.channel == nil && slices.ContainsFunc(m.members, isMember)
		return with && (x.Operator == "dm-including" || len(m.members) > 2)
	case "sender":
		return int64(w.UserID(m.sender)) == number
	case "mentions":
		return slices.ContainsFunc(readers,
			func(p string) bool { return int64(w.UserID(p)) == number && m.mention[p] && m.received[p] })
	case "id":
		return strconv.FormatInt(m.id, 10) == word
	case "search":
		return slices.Contains(strings.Fields(m.text+" "+strings.ToLower(m.topic)), word)
	case "has":
		return map[string]bool{"link": m.link, "image": m.image, "attachment": m.upload, "reaction": m.reacted}[word]
	case "in":
		if word == "all" {
			return !x.Negated
		}
		return !w.muted(who, m)
	case "is":
		return w.is(who, m, word)
	}
	w.T.Fatalf("no rule for %s", x.Operator)
	return false
}

func (w *randomRealm) is(who string, m *sentMessage, word string) bool {
	switch word {
	case "dm", "private":
		return m.channel == nil
	case "starred":
		return m.starred[who]
	case "unread":
		return m.received[who] && !m.read[who] && (m.channel == nil || m.channel.in(who, true))
	case "mentioned":
		return m.received[who] && (m.mention[who] || m.wildcard)
	case "alerted":
		return m.alerted[who]
	case "resolved":
		return strings.HasPrefix(m.topic, "✔ ")
	case "muted":
		return w.muted(who, m)
	}
	return false // no topic is followed
}

func (w *randomRealm) muted(who string, m *sentMessage) bool {
	if m.channel == nil {
		return false
	}
	if own, set := w.topics[who][fmt.Sprint(m.channel.id, "/", strings.ToLower(m.topic))]; set {
		return own
	}
	return m.channel.muted[who]
}

// vocabulary returns every operator with all its operands.
func (w *randomRealm) vocabulary() []term {
	var all []term
	add := func(operator string, operands ...any) {
		for _, o := range operands {
			all = append(all, term{operator, o, false}, term{operator, o, true})
		}
	}
	for _, c := range w.rooms {
		add("channel", c.id)
	}
	person := func(who string) int64 { return int64(w.UserID(who)) }
	add("channels", "public", "web-public", "archived")
	add("topic", "", "general chat", "LUNCH", "✔ lunch", "tea", "none")
	add("dm", []int64{}, []int64{person("alice")}, []int64{person("bob"), person("adam")},
		[]int64{person("guest"), person("bot"), person("mona")})
	for _, who := range []string{"alice", "bob", "guest", "olga"} {
		add("dm-including", person(who))
		add("group-pm-with", person(who))
		add("sender", person(who))
	}
	add("mentions", person("alice"), person("bob"), person("mona"))
	add("is", "dm", "private", "starred", "unread", "mentioned", "alerted", "resolved", "followed", "muted")
	add("has", "attachment", "image", "link", "reaction")
	add("in", "home", "all")
	add("id", fmt.Sprint(w.all[5].id), fmt.Sprint(w.all[77].id))
	add("near", fmt.Sprint(w.all[9].id))
	add("search", "apple", "lunch")
	return all
}

// TestNarrowOracle tries each term alone, plain and negated, and random combinations of terms.
func TestNarrowOracle(t *testing.T) {
	testrun.Unraced(t, "its requests are sequential")
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		w := newRandomRealm(t, url, 11)
		all := w.vocabulary()
		narrows := [][]term{{}}
		for _, x := range all {
			narrows = append(narrows, []term{x})
		}
		for range 60 {
			var some []term
			for range 2 + w.r.IntN(2) {
				some = append(some, all[w.r.IntN(len(all))])
			}
			narrows = append(narrows, some)
		}
		found := 0
		for _, who := range readers {
			for _, terms := range narrows {
				found += w.compare(t, who, terms)
			}
		}
		if least := len(narrows); found < least {
			t.Errorf("%d narrows found only %d messages", len(narrows)*len(readers), found)
		}
	})
}

// compare compares the messages that a user finds with the rules and returns their number.
func (w *randomRealm) compare(t *testing.T, who string, terms []term) int {
	t.Helper()
	raw, err := json.Marshal(terms)
	if err != nil {
		t.Fatal(err)
	}
	s := w.In(t)
	for _, x := range terms {
		if refused := w.unknown(who, x); refused != "" {
			s.As(who).Do("GET /messages", "anchor", "newest", "narrow", string(raw)).Error(400, "BAD_NARROW", refused)
			return 0
		}
	}
	if contradiction(terms) {
		s.As(who).Do("GET /messages", "anchor", "newest", "narrow", string(raw)).Error(400, "BAD_NARROW",
			"Invalid narrow operator combination: No message can be both a channel message and direct message")
		return 0
	}
	var want, own []string
	history := w.history(who, terms)
	for _, m := range w.all {
		if w.finds(who, m, terms, history) {
			want = append(want, fmt.Sprint(m.id))
		}
		if w.finds(who, m, terms, false) {
			own = append(own, fmt.Sprint(m.id))
		}
	}
	params := []string{"anchor", "newest", "num_before", "5000"}
	if w.r.IntN(2) == 0 {
		params = []string{"anchor", fmt.Sprint(w.all[w.r.IntN(len(w.all))].id), "num_before", "2500", "num_after", "2500"}
	}
	if got := w.ours(list(s, who, append(params, "narrow", string(raw))...)); !slices.Equal(got, want) {
		t.Errorf("%s %s %v:\n got %v\nwant %v", who, raw, params, got, want)
	}
	if len(terms) == 1 {
		return len(want)
	}
	var matched struct{ Messages map[string]any }
	s.As(who).Do("GET /messages/matches_narrow", "msg_ids", w.listed(), "narrow", string(raw)).OK().JSON(&matched)
	if len(matched.Messages) != len(own) ||
		slices.ContainsFunc(own, func(id string) bool { return matched.Messages[id] == nil }) {
		t.Errorf("%s matches %s: %d, want %v", who, raw, len(matched.Messages), own)
	}
	return len(want)
}

// ours returns a page's IDs without messages sent by the server itself.
func (w *randomRealm) ours(p page) []string {
	var out []string
	for _, m := range p.Messages {
		if slices.ContainsFunc(w.all, func(x *sentMessage) bool { return x.id == m.ID }) {
			out = append(out, fmt.Sprint(m.ID))
		}
	}
	return out
}

func (w *randomRealm) listed() string {
	var out []int64
	for _, m := range w.all {
		out = append(out, m.id)
	}
	return kittest.JSON(out)
}
