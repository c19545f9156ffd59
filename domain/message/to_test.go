package message

import (
	"reflect"
	"strings"
	"testing"

	"github.com/stoachat/stoa/domain/user"
)

func TestParseToChannel(t *testing.T) {
	for _, c := range []struct {
		to      string
		want    ToChannel
		refused string
	}{
		{to: "7", want: ToChannel{ID: 7}},
		{to: " 7 ", want: ToChannel{ID: 7}},
		{to: "[7]", want: ToChannel{ID: 7}},
		{to: "general", want: ToChannel{Name: "general"}},
		{to: ` "general " `, want: ToChannel{Name: "general"}},
		{to: `["general"]`, want: ToChannel{Name: "general"}},
		{to: `"7"`, want: ToChannel{Name: "7"}},
		{to: "[x", want: ToChannel{Name: "[x"}},
		{to: "[]", refused: "Expected exactly one channel"},
		{to: "[1,2]", refused: "Expected exactly one channel"},
		{to: "[[1]]", refused: "Invalid data type for channel"},
		{to: "{}", refused: "Invalid data type for channel"},
		{to: "true", refused: "Invalid data type for channel"},
		{to: "null", refused: "Invalid data type for channel"},
		{to: "[null]", refused: "Invalid data type for channel"},
		{to: "1.5", refused: "Invalid data type for channel"},
	} {
		got, err := ParseToChannel(c.to)
		if got != c.want || text(err) != c.refused {
			t.Errorf("ParseToChannel(%q) = %+v, %q; want %+v, %q", c.to, got, text(err), c.want, c.refused)
		}
	}
}

func TestParseToPeople(t *testing.T) {
	for _, c := range []struct {
		to      string
		ids     []user.ID
		emails  []string
		refused string
	}{
		{to: "[3,1,3]", ids: []user.ID{3, 1}},
		{to: "5", ids: []user.ID{5}},
		{to: "[]"},
		{to: ""},
		{to: `""`},
		{to: `["a@x.org","A@x.org"]`, emails: []string{"a@x.org"}},
		{to: `"a@x.org, b@x.org"`, emails: []string{"a@x.org", "b@x.org"}},
		{to: "a@x.org,,b@x.org ", emails: []string{"a@x.org", "b@x.org"}},
		{to: `[1,"a@x.org"]`, refused: "Recipient lists may contain emails or user IDs, but not both."},
		{to: `[1.5]`, refused: "Invalid data type for recipients"},
		{to: `[null]`, refused: "Invalid data type for recipients"},
		{to: `[[1]]`, refused: "Invalid data type for recipients"},
		{to: "null", refused: "Invalid data type for recipients"},
		{to: "{}", refused: "Invalid data type for recipients"},
		{to: "[" + strings.Repeat("1,", 60_000) + "1]", refused: "Too many recipients (maximum 250)"},
	} {
		got, err := ParseToPeople(c.to)
		if !reflect.DeepEqual(got.IDs, c.ids) || !reflect.DeepEqual(got.Emails, c.emails) || text(err) != c.refused {
			t.Errorf("ParseToPeople(%.40q) = %+v, %q; want %v %v %q", c.to, got, text(err), c.ids, c.emails, c.refused)
		}
	}
}
