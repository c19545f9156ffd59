package narrow

import (
	"bytes"
	"encoding/json"
	"errors"
	"testing"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/idset"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/user"
)

// Every input is either refused with a documented error or valid: it does not change when encoded and parsed again, and
// exactly one of a term and its negation matches a message.
func FuzzNarrow(f *testing.F) {
	for _, raw := range []string{
		`[]`, `[["channel","den"]]`, `[{"operator":"dm","operand":[1,2]}]`, `[["topic","✔ x"],["has","link"]]`,
		`[["id","5"],["is","unread"]]`,
		`[{"operator":"sender","operand":1,"negated":true}]`, `[["with","3"]]`,
		`[["channel","den"],["topic","x"],["with",3]]`, `[[]]`, `{`, "null",
		`[["in","home"],["near","1"],["channels","archived"]]`,
		`[{"operator":"dm-including","operand":2},["search","\"a b\" c"]]`,
		`[{"operator":"mentions","operand":1e0},["pm_with","anna@x.org,"]]`, "[[\"topic\",\"\xff\"]]",
		`[["is","dm"],["channel","den"]]`,
	} {
		f.Add([]byte(raw))
	}
	v := view()
	f.Fuzz(func(t *testing.T, raw []byte) {
		documented := func(what string, err error) {
			var e *errs.Error
			if err != nil && !errors.As(err, &e) {
				t.Errorf("%s of %s: %v", what, raw, err)
			}
		}
		terms, err := Parse(raw)
		if documented("Parse", err); err != nil {
			return
		}
		again, _ := json.Marshal(terms)
		if more, err := Parse(again); err != nil || !sameTerms(terms, more) {
			t.Errorf("%s is parsed as %s, and that as %v, %v", raw, again, more, err)
		}
		_ = Matches(v, terms, Arrived{Recipient: message.OfChannel(10)}) // must not panic
		if _, rest, err := CutWith(terms); err == nil {
			documented("CheckConversation", CheckConversation(rest))
			if _, err := Resolve(v, v.User(gus), SetConversation(rest, Conversation{Channel: 11, Topic: "x"})); err != nil {
				documented("Resolve", err)
			}
		} else {
			documented("CutWith", err)
		}
		_, err = Resolve(v, v.User(ben), terms)
		documented("Resolve", err)
		for _, term := range terms {
			checkNegation(t, term)
		}
	})
}

// checkNegation checks that exactly one of x and its negation matches, for a channel message and for a direct message.
func checkNegation(t *testing.T, x Term) {
	v := view()
	yes, err := Resolve(v, v.User(ben), []Term{x})
	if err != nil {
		return
	}
	x.Negated = !x.Negated
	no, err := Resolve(v, v.User(ben), []Term{x})
	if err != nil {
		t.Errorf("%s %s: refused when negated %v: %v", x.Operator, x.Operand, x.Negated, err)
		return
	}
	if len(yes.Conditions) == 0 || yes.Conditions[0].Op == Search || yes.Conditions[0].Op == MentionsOf {
		return // has no meaning by itself, or is checked elsewhere
	}
	m := message.Message{ID: 5, TopicKey: "x", Sender: anna}
	for r, members := range map[message.Recipient]user.Set{message.OfChannel(10): nil,
		message.OfDirect(1): idset.Of(anna, ben)} {
		m.Recipient = r
		holds := func(n Narrow) bool { return n.In(v, r, members) && n.Holds(&m) && n.Personal(State{}) }
		if holds(yes) == holds(no) {
			t.Errorf("%s %s: %v, and so does its negation, for %v", x.Operator, x.Operand, holds(yes), r)
		}
	}
}

func sameTerms(a, b []Term) bool {
	for i := range a {
		if i >= len(b) || a[i].Operator != b[i].Operator || a[i].Negated != b[i].Negated ||
			!bytes.Equal(compact(a[i].Operand), compact(b[i].Operand)) {
			return false
		}
	}
	return len(a) == len(b)
}

// compact returns the encoding of an operand without white space and with HTML characters escaped.
func compact(raw json.RawMessage) []byte {
	b, _ := json.Marshal(raw)
	return b
}
