package draft_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/draft"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

const anna, ben, gus = 1, 2, 3

func view() *directory.View {
	var b directory.Builder
	b.Realm(&realm.Realm{ID: 1, Settings: realm.Defaults()})
	for _, u := range []user.ID{anna, ben} {
		b.User(&user.User{ID: u, DeliveryEmail: fmt.Sprintf("u%d@x.org", u), Role: user.Member, Active: true,
			Settings: user.Defaults()})
	}
	b.User(&user.User{ID: gus, DeliveryEmail: "gus@x.org", Role: user.Guest, Active: true, Settings: user.Defaults()})
	b.Channel(&channel.Channel{ID: 10, Name: "den", HistoryPublic: true})
	b.Channel(&channel.Channel{ID: 11, Name: "cellar", Private: true})
	b.Channel(&channel.Channel{ID: 12, Name: "old", HistoryPublic: true, Archived: true})
	b.Subscriptions(anna, 11)
	return b.View(1)
}

func text(err error) string {
	var e *errs.Error
	if errors.As(err, &e) {
		return e.Msg
	}
	if err != nil {
		return "other: " + err.Error()
	}
	return ""
}

func TestNew(t *testing.T) {
	v, now := view(), time.Date(2026, 5, 1, 12, 0, 0, 999, time.UTC)
	at := now.Unix()
	for _, c := range []struct {
		by    user.ID
		draft string
		want  string // the stored draft; "": refused
		err   string
	}{
		{anna, `"type":"stream","to":[10],"topic":" lunch ","content":"\nhi \n"`, fmt.Sprintf("stream [10] lunch: hi %d", at),
			""},
		{anna, `"type":"stream","to":[11],"topic":"","content":"hi","timestamp":1.9`, "stream [11] : hi 1", ""},
		{anna, `"type":"stream","to":[10],"topic":"` + strings.Repeat("é", 61) + `","content":"hi"`,
			fmt.Sprintf("stream [10] %s...: hi %d", strings.Repeat("é", 57), at), ""},
		{anna, `"type":"stream","to":[],"topic":"","content":"hi"`, "",
			"Must specify exactly 1 channel ID for channel messages"},
		{anna, `"type":"stream","to":[10,11],"topic":"","content":"hi"`, "",
			"Must specify exactly 1 channel ID for channel messages"},
		{anna, `"type":"stream","to":[99],"topic":"","content":"hi"`, "", "Invalid channel ID"},
		{anna, `"type":"stream","to":[12],"topic":"","content":"hi"`, "", "Invalid channel ID"},
		{ben, `"type":"stream","to":[11],"topic":"","content":"hi"`, "", "Invalid channel ID"},
		{gus, `"type":"stream","to":[10],"topic":"","content":"hi"`, "", "Invalid channel ID"},
		{anna, `"type":"stream","to":[10],"topic":"a\u0000","content":"hi"`, "", "Topic must not contain null bytes"},
		{anna, `"type":"stream","to":[10],"topic":"a\u0001","content":"hi"`, "",
			"Invalid character in topic, at position 2!"},
		{anna, `"type":"private","to":[3,2,1,2],"topic":"x","content":"hi"`, fmt.Sprintf("private [2 3] : hi %d", at), ""},
		{anna, `"type":"private","to":[1,1],"topic":"","content":"hi"`, fmt.Sprintf("private [1] : hi %d", at), ""},
		{anna, `"type":"private","to":[],"topic":"","content":"hi"`, fmt.Sprintf("private [] : hi %d", at), ""},
		{anna, `"type":"private","to":[2,77],"topic":"","content":"hi"`, "", "Invalid user ID 77"},
		{anna, `"type":"private","to":[-1],"topic":"","content":"hi"`, "", "Invalid user ID -1"},
		{anna, `"type":"","to":[10,99],"topic":"x","content":"hi","timestamp":0`, " [] : hi 0", ""},
		{anna, `"type":"channel","to":[10],"topic":"x","content":"hi"`, "", "Invalid type"},
		{anna, `"type":"","to":[],"topic":"","content":" \n"`, "", "Message must not be empty"},
		{anna, `"type":"","to":[],"topic":"","content":"a\u0000"`, "", "Message must not contain null bytes"},
		{anna, `"type":"","to":[],"topic":"","content":"x","timestamp":-1`, "", "Timestamp must not be negative."},
		{anna, `"type":"","to":[],"topic":"","content":"x","timestamp":1e300`, "", "Invalid timestamp"},
		{anna, `"type":"","to":[],"topic":"","content":"x","timestamp":null`, fmt.Sprintf(" [] : x %d", at), ""},
		{anna, `"type":"","to":[],"topic":"","content":"x","id":5`, "",
			"A draft can only have the fields type, to, topic, content and timestamp"},
		{anna, `"to":[],"topic":"","content":"x"`, "", "A draft must have the fields type, to, topic and content"},
		{anna, `"type":"","to":null,"topic":"","content":"x"`, "",
			"A draft must have the fields type, to, topic and content"},
		{anna, `"type":"","to":[],"content":"x"`, "", "A draft must have the fields type, to, topic and content"},
		{anna, `"type":"","to":[],"topic":""`, "", "A draft must have the fields type, to, topic and content"},
	} {
		var in draft.Input
		err := json.Unmarshal([]byte("{"+c.draft+"}"), &in)
		var d draft.Draft
		if err == nil {
			d, err = draft.New(v, v.User(c.by), in, now)
		}
		if text(err) != c.err {
			t.Errorf("%s: %q, want %q", c.draft, text(err), c.err)
		}
		if got := fmt.Sprintf("%s %v %s: %s %d", d.Kind, d.To, d.Topic, d.Content, d.Edited.Unix()); err == nil &&
			got != c.want {
			t.Errorf("%s: %s, want %s", c.draft, got, c.want)
		}
	}
}

func TestFit(t *testing.T) {
	long := func(n int) draft.Draft { return draft.Draft{Topic: "é", Content: strings.Repeat("é", n)} }
	for _, c := range []struct {
		kept draft.Total
		more []draft.Draft
		want string // the error text
	}{
		{draft.Total{}, nil, ""},
		{draft.Total{Drafts: 998}, []draft.Draft{long(1), long(1)}, ""},
		{draft.Total{Drafts: 999}, []draft.Draft{long(1), long(1)}, "Too many drafts (limit: 1000). Remove some first."},
		{draft.Total{Bytes: 999_990}, []draft.Draft{long(1), long(2)}, ""},
		{draft.Total{Bytes: 999_990}, []draft.Draft{long(1), long(3)},
			"Drafts are too long in total (limit: 1000000 bytes). Remove some first."},
	} {
		if got := text(c.kept.Admit(c.more...)); got != c.want {
			t.Errorf("%+v with %d others: %q, want %q", c.kept, len(c.more), got, c.want)
		}
	}
}
