package narrow

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/idset"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

// The users: anna and ben are members, gus is a guest. The channels: 10 den (public), 11 web (web-public), 12 attic
// (private, only anna subscribes), 13 vault (private, protected history, anna subscribes), 14 ruin (public, archived).
const (
	anna, ben, gus user.ID = 1, 2, 3
)

func view() *directory.View {
	var b directory.Builder
	b.Realm(&realm.Realm{ID: 1, MailDomain: "x.org", Settings: realm.Defaults()})
	b.User(&user.User{ID: anna, DeliveryEmail: "anna@x.org", Role: user.Member, Active: true, Settings: user.Defaults()})
	b.User(&user.User{ID: ben, DeliveryEmail: "ben@x.org", Role: user.Member, Active: true, Settings: user.Defaults()})
	b.User(&user.User{ID: gus, DeliveryEmail: "gus@x.org", Role: user.Guest, Active: true, Settings: user.Defaults()})
	b.Channel(&channel.Channel{ID: 10, Name: "den", HistoryPublic: true})
	b.Channel(&channel.Channel{ID: 11, Name: "web", HistoryPublic: true, WebPublic: true})
	b.Channel(&channel.Channel{ID: 12, Name: "attic", HistoryPublic: true, Private: true})
	b.Channel(&channel.Channel{ID: 13, Name: "vault", Private: true})
	b.Channel(&channel.Channel{ID: 14, Name: "ruin", HistoryPublic: true, Archived: true})
	b.Subscriptions(anna, 12)
	b.Subscriptions(anna, 13)
	return b.View(1)
}

func TestParse(t *testing.T) {
	for _, c := range []struct{ raw, want, refused string }{
		{raw: "", want: "null"},
		{raw: "null", want: "null"},
		{raw: "[]", want: "[]"},
		{raw: `[{"operator":"stream","operand":3,"negated":true,"more":[1]}]`,
			want: `[{"operator":"channel","operand":3,"negated":true}]`},
		{raw: `[["pm-with","a@x.org"],["streams","public"]]`,
			want: `[{"operator":"dm","operand":"a@x.org"},{"operator":"channels","operand":"public"}]`},
		{raw: `[{"operator":"group_pm_with","operand":1,"negated":null}]`,
			want: `[{"operator":"group-pm-with","operand":1}]`},
		{raw: `{}`, refused: "narrow is not a list"},
		{raw: `["x"]`, refused: "Invalid narrow[0]: dict or list required"},
		{raw: `[null]`, refused: "Invalid narrow[0]: dict or list required"},
		{raw: `[["a","b"],["a"]]`, refused: "Invalid narrow[1]: element is not a string pair"},
		{raw: `[["channel",3]]`, refused: "Invalid narrow[0]: element is not a string pair"},
		{raw: `[{"operand":3}]`, refused: "Invalid narrow[0]: operator is missing"},
		{raw: `[{"operator":"channel"}]`, refused: "Invalid narrow[0]: operand is missing"},
		{raw: `[{"operator":3,"operand":3}]`, refused: "Invalid narrow[0]: operator is not a string"},
		{raw: `[{"operator":null,"operand":3}]`, refused: "Invalid narrow[0]: operator is not a string"},
		{raw: `[{"operator":"is","operand":"dm","negated":"yes"}]`, refused: "Invalid narrow[0]: negated is not a boolean"},
		{raw: "[" + strings.Repeat(`["is","dm"],`, 100) + `["is","dm"]]`, refused: "Too many narrow terms (maximum 100)"},
	} {
		terms, err := Parse([]byte(c.raw))
		got, _ := json.Marshal(terms)
		if c.refused != "" && text(err) != c.refused || c.refused == "" && (err != nil || string(got) != c.want) {
			t.Errorf("Parse(%.60s) = %s, %q; want %s, %q", c.raw, got, text(err), c.want, c.refused)
		}
	}
}

func TestResolveRefuses(t *testing.T) {
	for _, c := range []struct{ raw, desc, refused string }{
		{raw: `[["channel","nowhere"]]`, desc: "unknown channel nowhere"},
		{raw: `[{"operator":"channel","operand":99}]`, desc: "unknown channel 99"},
		{raw: `[["channel","10"]]`, desc: "unknown channel 10"},
		{raw: `[["channel","Attic"]]`, desc: "unknown channel Attic"},
		{raw: `[{"operator":"channel","operand":12}]`, desc: "unknown channel 12"},
		{raw: `[{"operator":"channel","operand":12,"negated":true}]`, desc: "unknown channel 12"},
		{raw: `[["channels","all"]]`, desc: "unknown channels operand all"},
		{raw: `[["sender","x@x.org"]]`, desc: "unknown user x@x.org"},
		{raw: `[{"operator":"dm-including","operand":99}]`, desc: "unknown user 99"},
		{raw: `[{"operator":"dm","operand":[1,99]}]`, desc: "unknown user in [1,99]"},
		{raw: `[["dm","anna@x.org,x@x.org"]]`, desc: "unknown user in anna@x.org,x@x.org"},
		{raw: `[["is","great"]]`, desc: "unknown 'is' operand great"},
		{raw: `[["has","hair"]]`, desc: "unknown 'has' operand hair"},
		{raw: `[["in","stock"]]`, desc: "unknown 'in' operand stock"},
		{raw: `[["id","x"]]`, desc: "Invalid message ID"},
		{raw: `[{"operator":"id","operand":-1}]`, desc: "Invalid message ID"},
		{raw: `[{"operator":"id","operand":3000000000}]`, desc: "Invalid message ID"},
		{raw: `[["stuff","x"]]`, desc: "unknown operator stuff"},
		{raw: `[["` + strings.Repeat("é", 500) + `","x"]]`, desc: "unknown operator " + strings.Repeat("é", 141)},
		{raw: `[["channel","den"],["is","dm"]]`, desc: "No message can be both a channel message and direct message"},
		{raw: `[["topic","x"],["dm","ben@x.org"]]`, desc: "No message can be both a channel message and direct message"},
		{raw: `[{"operator":"is","operand":"dm","negated":true},["dm","ben@x.org"]]`,
			desc: "No message can be both a channel message and direct message"},
		{raw: `[{"operator":"topic","operand":3}]`, refused: "operand is not a string"},
		{raw: `[{"operator":"channel","operand":[3]}]`, refused: "operand is not a string or integer"},
		{raw: `[{"operator":"sender","operand":null}]`, refused: "operand is not a string or integer"},
		{raw: `[{"operator":"dm","operand":3}]`, refused: "operand is not a string or an integer list"},
		{raw: `[{"operator":"dm","operand":[null]}]`, refused: "operand is not a string or an integer list"},
		{raw: `[{"operator":"dm","operand":[1.5]}]`, refused: "operand is not a string or an integer list"},
		{raw: `[{"operator":"dm","operand":["ben@x.org"]}]`, refused: "operand is not a string or an integer list"},
		{raw: `[{"operator":"dm","operand":{}}]`, refused: "operand is not a string or an integer list"},
		{raw: `[{"operator":"dm","operand":[` + strings.Repeat("1,", 5000) + `1]}]`,
			refused: "Too many users in the operand of dm"},
		{raw: `[{"operator":"channel","operand":1.5}]`, refused: "operand is not a string or integer"},
		{raw: `[{"operator":"dm-including","operand":[1]}]`, refused: "operand is not a string or integer"},
		{raw: `[{"operator":"group-pm-with","operand":true}]`, refused: "operand is not a string or integer"},
		{raw: `[{"operator":"mentions","operand":{}}]`, refused: "operand is not a string or integer"},
		{raw: `[{"operator":"id","operand":[5]}]`, refused: "operand is not a string or integer"},
		{raw: `[{"operator":"is","operand":1}]`, refused: "operand is not a string"},
		{raw: `[{"operator":"has","operand":null}]`, refused: "operand is not a string"},
		{raw: `[{"operator":"in","operand":[]}]`, refused: "operand is not a string"},
		{raw: `[{"operator":"channels","operand":3}]`, refused: "operand is not a string"},
		{raw: `[{"operator":"search","operand":3}]`, refused: "operand is not a string"},
		{raw: `[{"operator":"search","operand":""}]`, refused: "operand cannot be blank."},
		{raw: `[{"operator":"search","operand":" \t","negated":true}]`, refused: "operand cannot be blank."},
	} {
		v := view()
		terms, err := Parse([]byte(c.raw))
		if err != nil {
			t.Fatalf("%s: %v", c.raw, err)
		}
		_, err = Resolve(v, v.User(ben), terms)
		var e *errs.Error
		if !errors.As(err, &e) {
			t.Errorf("%s: not refused", c.raw)
			continue
		}
		if c.desc != "" && (e.Code != errs.BadNarrow || e.Extra["desc"] != c.desc || !strings.HasSuffix(e.Msg, ": "+c.desc)) {
			t.Errorf("%s: %v %v, want desc %s", c.raw, e, e.Extra, c.desc)
		}
		if c.refused != "" && (e.Code != errs.BadRequest || e.Msg != c.refused) {
			t.Errorf("%s: %v, want %s", c.raw, e, c.refused)
		}
	}
}

func TestHistory(t *testing.T) {
	for _, c := range []struct {
		raw    string
		reader user.ID
		want   bool
	}{
		{`[]`, ben, false},
		{`[["channel","den"]]`, ben, true},
		{`[["channel","ruin"]]`, ben, true},
		{`[["channel","web"]]`, gus, true},
		{`[["channel","attic"]]`, anna, true},
		{`[["channel","vault"]]`, anna, false},
		{`[{"operator":"channel","operand":"den","negated":true}]`, ben, false},
		{`[["channel","den"],["channel","vault"]]`, anna, false},
		{`[["channel","vault"],["channel","den"]]`, anna, true},
		{`[["channels","public"]]`, ben, true},
		{`[["channels","web-public"]]`, ben, true},
		{`[["channels","public"]]`, gus, false},
		{`[["channels","archived"]]`, ben, false},
		{`[["channel","den"],["is","unread"]]`, ben, false},
		{`[["channel","den"],{"operator":"is","operand":"starred","negated":true}]`, ben, false},
		{`[["channel","den"],["is","resolved"]]`, ben, true},
		{`[["topic","x"]]`, ben, false},
		{`[["dm","anna@x.org"]]`, ben, false},
		{`[["channel","den"],{"operator":"dm-including","operand":2,"negated":true}]`, ben, true},
		{`[["channel","den"],["is","followed"]]`, ben, false},
		{`[["channel","den"],{"operator":"is","operand":"muted","negated":true}]`, ben, false},
		{`[["channel","den"],["in","home"],["has","reaction"],["search","x"]]`, ben, true},
		{`[{"operator":"channels","operand":"public","negated":true}]`, ben, false},
		{`[["channels","public"],["channel","vault"]]`, anna, false},
	} {
		if got := resolved(t, c.raw, c.reader).History; got != c.want {
			t.Errorf("%s for %d: History = %v", c.raw, c.reader, got)
		}
	}
}

// at describes a message in a channel's topic, or in the direct conversation of members.
type at struct {
	id      message.ID
	channel channel.ID
	topic   string
	members user.Set
	sender  user.ID
	facts   message.Facts
}

func TestMatch(t *testing.T) {
	den := at{id: 5, channel: 10, topic: "lunch", sender: anna}
	direct := at{id: 6, members: idset.Of(anna, ben), sender: anna}
	group := at{id: 7, members: idset.Of(anna, ben, gus), sender: gus}
	self := at{id: 8, members: idset.Of(ben), sender: ben}
	for _, c := range []struct {
		raw  string
		m    at
		want bool
	}{
		{`[]`, den, true},
		{`[]`, direct, true},
		{`[["channel","DEN"]]`, den, true},
		{`[["channel","web"]]`, den, false},
		{`[["channel","den"]]`, direct, false},
		{`[{"operator":"channel","operand":"den","negated":true}]`, direct, true},
		{`[{"operator":"channel","operand":"den","negated":true}]`, den, false},
		{`[["channels","public"]]`, den, true},
		{`[["channels","public"]]`, at{channel: 12}, false},
		{`[["channels","web-public"]]`, den, false},
		{`[["channels","archived"]]`, at{channel: 14}, true},
		{`[["topic","LUNCH"]]`, den, true},
		{`[["topic","dinner"]]`, den, false},
		{`[["topic","general chat"]]`, at{channel: 10}, true},
		{`[["topic","General Chat"]]`, at{channel: 10}, false},
		// Only in the first topic term does this name mean the empty topic.
		{`[["topic","x"],["topic","general chat"]]`, at{channel: 10}, false},
		{`[{"operator":"topic","operand":"general chat","negated":true}]`, at{channel: 10}, false},
		{`[["topic",""]]`, direct, false},
		{`[{"operator":"topic","operand":"lunch","negated":true}]`, direct, true},
		{`[{"operator":"topic","operand":"lunch","negated":true}]`, den, false},
		{`[["dm","anna@x.org"]]`, direct, true},
		{`[["dm","anna@x.org,ben@x.org"]]`, direct, true},
		{`[["dm","anna@x.org"]]`, group, false},
		{`[["dm","ben@x.org"]]`, self, true},
		{`[["dm",""]]`, self, false},
		{`[{"operator":"dm","operand":[1,3]}]`, group, true},
		{`[{"operator":"dm-including","operand":1}]`, direct, true},
		{`[{"operator":"dm-including","operand":1}]`, group, true},
		{`[{"operator":"dm-including","operand":1}]`, self, false},
		{`[{"operator":"dm-including","operand":2}]`, self, true},
		{`[{"operator":"dm-including","operand":2,"negated":true},["dm","anna@x.org"]]`, direct, false},
		{`[{"operator":"group-pm-with","operand":1}]`, direct, false},
		{`[{"operator":"group-pm-with","operand":1}]`, group, true},
		{`[["is","dm"]]`, direct, true},
		{`[["is","private"]]`, den, false},
		{`[{"operator":"is","operand":"dm","negated":true}]`, den, true},
		{`[["sender","anna@x.org"]]`, den, true},
		{`[["sender","user1@x.org"]]`, den, true},
		{`[{"operator":"sender","operand":2}]`, den, false},
		{`[["id","5"]]`, den, true},
		{`[{"operator":"id","operand":5}]`, direct, false},
		{`[["near","5"]]`, direct, true},
		{`[["in","all"]]`, direct, true},
		{`[["has","link"]]`, at{channel: 10, facts: message.HasLink}, true},
		{`[["has","link"]]`, den, false},
		{`[["has","image"],["has","attachment"]]`, at{channel: 10, facts: message.HasImage | message.HasAttachment}, true},
		{`[["has","image"],["has","attachment"]]`, at{channel: 10, facts: message.HasImage}, false},
		{`[["is","resolved"]]`, at{channel: 10, topic: "✔ lunch"}, true},
		{`[["is","resolved"]]`, den, false},
		{`[["channel","den"],["topic","lunch"],["sender","anna@x.org"]]`, den, true},
		{`[["channel","den"],["topic","lunch"],["sender","ben@x.org"]]`, den, false},
	} {
		n := resolved(t, c.raw, ben)
		m := message.Message{ID: c.m.id, Sender: c.m.sender, TopicKey: strings.ToLower(c.m.topic), Facts: c.m.facts,
			Recipient: message.OfDirect(1)}
		if c.m.channel != 0 {
			m.Recipient = message.OfChannel(c.m.channel)
		}
		if got := n.In(view(), m.Recipient, c.m.members) && n.Holds(&m); got != c.want {
			t.Errorf("%s on %+v: %v", c.raw, c.m, got)
		}
	}
}

func TestOnlyDirect(t *testing.T) {
	for raw, want := range map[string]bool{
		`[]`: false, `[["is","dm"]]`: true, `[["dm","anna@x.org"]]`: true, `[{"operator":"dm-including","operand":2}]`: true,
		`[{"operator":"group-pm-with","operand":1}]`: true, `[["has","link"],["is","private"]]`: true,
		`[["channel","den"]]`:                                      false,
		`[{"operator":"dm","operand":[1],"negated":true}]`:         false,
		`[{"operator":"dm-including","operand":1,"negated":true}]`: false,
		`[{"operator":"is","operand":"dm","negated":true}]`:        false,
	} {
		if n := resolved(t, raw, ben); n.OnlyDirect() != want {
			t.Errorf("%s: %v", raw, !want)
		}
	}
}

func TestPersonal(t *testing.T) {
	for _, c := range []struct {
		raw   string
		state State
		want  bool
	}{
		{`[["is","unread"]]`, State{}, true},
		{`[["is","unread"]]`, State{Read: true}, false},
		{`[{"operator":"is","operand":"unread","negated":true}]`, State{Read: true}, true},
		{`[["is","starred"],["is","mentioned"]]`, State{Starred: true, Mentioned: true}, true},
		{`[["is","starred"],["is","mentioned"]]`, State{Starred: true}, false},
		{`[["is","alerted"]]`, State{Alerted: true}, true},
		{`[["is","followed"]]`, State{}, false},
		{`[["is","muted"]]`, State{}, false},
		{`[["in","home"]]`, State{}, true},
		{`[["in","home"]]`, State{Muted: true}, false},
		{`[["has","reaction"]]`, State{}, false},
	} {
		n := resolved(t, c.raw, ben)
		if n.Personal(c.state) != c.want || !n.ByState() {
			t.Errorf("%s on %+v: %v, by state %v", c.raw, c.state, !c.want, n.ByState())
		}
	}
}

func TestWith(t *testing.T) {
	parsed := func(raw string) []Term {
		terms, err := Parse([]byte(raw))
		if err != nil {
			t.Fatal(err)
		}
		return terms
	}
	for raw, desc := range map[string]string{
		`[["with","1"],["with","2"]]`:                      "Duplicate 'with' operators.",
		`[["with","x"]]`:                                   "Invalid 'with' operator",
		`[["with","0"]]`:                                   "Invalid 'with' operator",
		`[["with","99999999999999999999"]]`:                "Invalid 'with' operator",
		`[{"operator":"with","operand":[1]}]`:              "operand is not a string or integer",
		`[{"operator":"with","operand":1,"negated":true}]`: "Invalid 'with' operator",
	} {
		if _, _, err := CutWith(parsed(raw)); !strings.HasSuffix(text(err), desc) {
			t.Errorf("%s: %v, want %s", raw, err, desc)
		}
	}
	id, rest, err := CutWith(parsed(`[["channel","den"],["topic","x"],["with","5"],["is","unread"]]`))
	if id != 5 || len(rest) != 3 || err != nil {
		t.Fatalf("CutWith: %v %v %v", id, rest, err)
	}
	moved, _ := json.Marshal(SetConversation(rest, Conversation{Channel: 11, Topic: "y"}))
	if string(moved) != `[{"operator":"is","operand":"unread"},{"operator":"channel","operand":11},{"operator":"topic",`+
		`"operand":"y"}]` {
		t.Errorf("moved to a topic: %s", moved)
	}
	moved, _ = json.Marshal(SetConversation(rest, Conversation{Members: idset.Of(anna, ben)}))
	if string(moved) != `[{"operator":"is","operand":"unread"},{"operator":"dm","operand":[1,2]}]` {
		t.Errorf("moved to users: %s", moved)
	}
	for raw, ok := range map[string]bool{`[["channel","den"],["topic","x"]]`: true, `[["dm","x"]]`: true,
		`[["channel","den"]]`: false, `[]`: false} {
		if err := CheckConversation(parsed(raw)); (err == nil) != ok {
			t.Errorf("CheckConversation(%s): %v", raw, err)
		}
	}
}

func resolved(t *testing.T, raw string, reader user.ID) Narrow {
	t.Helper()
	v := view()
	terms, err := Parse([]byte(raw))
	if err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	n, err := Resolve(v, v.User(reader), terms)
	if err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	return n
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
