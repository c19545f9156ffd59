package profilefield

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/user"
)

// refused checks that err is a BadRequest whose text contains want, or nil if want is "".
func refused(t *testing.T, what string, err error, want string) {
	t.Helper()
	switch {
	case want == "" && err != nil:
		t.Errorf("%s: refused: %v", what, err)
	case want != "" && (!errs.Is(err, errs.BadRequest) || !strings.Contains(err.Error(), want)):
		t.Errorf("%s: got %v, want %q", what, err, want)
	}
}

func TestCheck(t *testing.T) {
	github := Data{Account: &Account{Subtype: "github"}}
	for _, c := range []struct {
		name string
		f    Field
		want string
	}{
		{"plain", Field{Type: ShortText, Name: "Phone", Hint: "with country"}, ""},
		{"longest", Field{Type: Pronouns, Name: strings.Repeat("ä", 40), Hint: strings.Repeat("ö", 80)}, ""},
		{"no type", Field{Name: "x"}, "Invalid field type"},
		{"unknown type", Field{Type: 9, Name: "x"}, "Invalid field type"},
		{"blank", Field{Type: ShortText, Name: " \t"}, "Label cannot be blank"},
		{"long name", Field{Type: ShortText, Name: strings.Repeat("ä", 41)}, "name is too long (limit: 40 characters)"},
		{"long hint", Field{Type: ShortText, Name: "x", Hint: strings.Repeat("ä", 81)},
			"hint is too long (limit: 80 characters)"},
		{"two lines", Field{Type: ShortText, Name: "a\nb"}, "Invalid character in name"},
		{"turned round", Field{Type: ShortText, Name: "a\u202eb"}, "Invalid character in name"},
		{"nothing to see", Field{Type: ShortText, Name: "\u200b"}, "Invalid character in name"},
		{"a mark alone", Field{Type: ShortText, Name: "\u0301"}, "Label cannot be blank"},
		{"nothing in the hint", Field{Type: ShortText, Name: "a", Hint: "a\x00b"}, "Invalid character in hint"},
		{"users in summary", Field{Type: Users, Name: "x", Summary: true}, "not supported for display"},
		{"date in summary", Field{Type: Date, Name: "x", Summary: true}, ""},
		{"matching by text", Field{Type: ShortText, Name: "x", Matching: true}, ""},
		{"matching by account", Field{Type: External, Name: "x", Matching: true, Data: github}, ""},
		{"matching by long text", Field{Type: LongText, Name: "x", Matching: true}, "not supported for matching"},
		{"preset without name", Field{Type: External, Data: github}, ""},
	} {
		_, err := c.f.Check("")
		refused(t, c.name, err, c.want)
	}
	for _, name := range []string{"\u0301", "a\u202eb"} {
		_, err := Field{Type: ShortText, Name: name, Hint: "new"}.Check(name)
		refused(t, "a name that is older than the rules", err, "")
	}
	f, err := Field{Type: External, Name: "mine", Hint: "mine", Data: github}.Check("")
	if err != nil || f.Name != "GitHub username" || f.Hint != "" {
		t.Errorf("a preset has the name %q and the hint %q (%v)", f.Name, f.Hint, err)
	}
}

func TestReadData(t *testing.T) {
	for _, c := range []struct {
		t                Type
		text, want, fail string
	}{
		{ShortText, `{"a":1}`, "", ""},
		{Users, ``, "", ""},
		{Select, `{"0":{"text":" One ","order":"1"},"1":{"text":"Two <b>","order":"2"}}`,
			`{"0":{"text":"One","order":"1"},"1":{"text":"Two <b>","order":"2"}}`, ""},
		{Select, `{}`, "", "at least one choice"},
		{Select, `null`, "", "at least one choice"},
		{Select, `[]`, "", "not a dict of choices"},
		{Select, `{"0":"One"}`, "", "not a dict of choices"},
		{Select, `{"0":{"text":"One"}}`, "", "'order' cannot be blank"},
		{Select, `{"0":{"order":"1"}}`, "", "'text' cannot be blank"},
		{Select, `{"0":{"text":" ","order":"1"}}`, "", "'text' cannot be blank"},
		{Select, `{"":{"text":"One","order":"1"}}`, "", "'value' cannot be blank"},
		{Select, `{"0":{"text":"One","order":"1"},"1":{"text":"One","order":"2"}}`, "", "duplicate choices"},
		{Select, `{"0":{"text":"a\u0000","order":"1"}}`, "", "Invalid character in text"},
		{Select, `{"0":{"text":"` + strings.Repeat("a", 201) + `","order":"1"}}`, "", "text is too long"},
		{External, `{"subtype":"github","url_pattern":"https://evil.example/"}`, `{"subtype":"github"}`, ""},
		{External, `{"subtype":"custom","url_pattern":"https://a.example/%(username)s?x=1&y=2"}`,
			`{"subtype":"custom","url_pattern":"https://a.example/%(username)s?x=1&y=2"}`, ""},
		{External, ``, "", "not a dict"},
		{External, `{}`, "", "subtype key is missing"},
		{External, `{"subtype":"myspace"}`, "", "Invalid external account type"},
		{External, `{"subtype":"custom"}`, "", "must define URL pattern"},
		{External, `{"subtype":"custom","url_pattern":"https://a.example/"}`, "", "exactly once"},
		{External, `{"subtype":"custom","url_pattern":"https://a.example/%(username)s/%(username)s"}`, "", "exactly once"},
		{External, `{"subtype":"custom","url_pattern":"javascript:%(username)s"}`, "", "Malformed URL pattern"},
		{External, `{"subtype":"custom","url_pattern":"https://%(username)s"}`,
			`{"subtype":"custom","url_pattern":"https://%(username)s"}`, ""},
	} {
		d, err := ReadData(c.t, c.text)
		refused(t, c.text, err, c.fail)
		if c.fail == "" && d.String() != c.want {
			t.Errorf("%s became %s", c.text, d)
		}
		if again, err := ReadData(c.t, d.String()); c.fail == "" && c.want != "" && (err != nil || !again.Equal(d)) {
			t.Errorf("%s is stored as %s and read as %s (%v)", c.text, d, again, err)
		}
	}
}

func TestRemovedChoices(t *testing.T) {
	of := func(keys ...string) Data {
		d := Data{Choices: map[string]Choice{}}
		for _, k := range keys {
			d.Choices[k] = Choice{k, k}
		}
		return d
	}
	if got := Removed(of("a", "b", "c"), of("b", "d")); !reflect.DeepEqual(got, []string{"a", "c"}) {
		t.Errorf("removed: %v", got)
	}
	if got := Removed(of("a"), of("a", "b")); got != nil {
		t.Errorf("removed: %v", got)
	}
}

func TestList(t *testing.T) {
	all := []Field{{ID: 3, Name: "Phone", Order: 1, Summary: true}, {ID: 1, Name: "City", Order: 4},
		{ID: 2, Name: "Birthday", Order: 5, Summary: true}}
	refused(t, "another", CheckConflicts(all, &Field{Name: "Fax"}, strings.ToLower), "")
	refused(t, "twice", CheckConflicts(all, &Field{Name: "City"}, strings.ToLower),
		"A field with that label already exists.")
	refused(t, "twice in another case", CheckConflicts(all, &Field{Name: "CITY"}, strings.ToLower),
		"A field with that label already exists.")
	refused(t, "its own name in another case", CheckConflicts(all, &Field{ID: 1, Name: "CITY"}, strings.ToLower), "")
	refused(t, "a name shared with another",
		CheckConflicts(append(all, Field{ID: 9, Name: "city"}), &Field{ID: 1, Name: "City"},
			strings.ToLower), "")
	refused(t, "itself", CheckConflicts(all, &Field{ID: 1, Name: "City"}, strings.ToLower), "")
	refused(t, "third in the summary", CheckConflicts(all, &Field{ID: 1, Name: "City", Summary: true}, strings.ToLower),
		"Only 2 custom profile fields")
	refused(t, "stays in the summary",
		CheckConflicts(all, &Field{ID: 2, Name: "Birthday", Summary: true}, strings.ToLower), "")
	if Next(all) != 6 || Next(nil) != 0 {
		t.Errorf("the next positions are %d and %d", Next(all), Next(nil))
	}
	for _, bad := range [][]ID{{1, 2}, {1, 2, 2}, {1, 2, 4}, {1, 2, 3, 4}, nil} {
		_, _, err := Reorder(all, bad)
		refused(t, "order", err, "Invalid order mapping.")
	}
	now, moved, err := Reorder(all, []ID{1, 2, 3})
	if err != nil || !moved || now[0].ID != 1 || now[0].Order != 0 || now[2].ID != 3 || now[2].Order != 2 ||
		all[0].Order != 1 {
		t.Errorf("reordered: %v %v %v, of %v", now, moved, err, all)
	}
	if _, moved, err := Reorder(all, []ID{3, 1, 2}); moved || err != nil {
		t.Errorf("the same order: %v %v", moved, err)
	}
	if Find(all, 2).Name != "Birthday" || Find(all, 9) != nil {
		t.Error("Find")
	}
}

func TestRead(t *testing.T) {
	people := map[user.ID]*user.User{
		1: {ID: 1, Active: true}, 2: {ID: 2, Active: true}, 3: {ID: 3}, 4: {ID: 4, Active: true, BotType: user.GenericBot},
		5: {ID: 5, Active: true, System: true, BotType: user.GenericBot},
	}
	sees := func(id user.ID) *user.User { return people[id] }
	list := Data{Choices: map[string]Choice{"a": {"A", "1"}}}
	for _, c := range []struct {
		t                 Type
		given, want, fail string
	}{
		{ShortText, `"hello"`, "hello", ""},
		{ShortText, ` "a" `, "a", ""},
		{ShortText, `null`, "", ""},
		{ShortText, `""`, "", ""},
		{ShortText, `"  "`, "", ""},
		{ShortText, ``, "", "value key is missing"},
		{ShortText, `5`, "", "is not a string"},
		{ShortText, `["a"]`, "", "is not a string"},
		{ShortText, `"` + strings.Repeat("ä", 50) + `"`, strings.Repeat("ä", 50), ""},
		{ShortText, `"` + strings.Repeat("ä", 51) + `"`, "", "too long (limit: 50 characters)"},
		{ShortText, `"a\nb"`, "", "Invalid character"},
		{ShortText, `"a\u0000b"`, "", "Invalid character"},
		{LongText, `"a\n\tb"`, "a\n\tb", ""},
		{LongText, `"a\u0000b"`, "", "Invalid character"},
		{LongText, `"` + strings.Repeat("ä", 500) + `"`, strings.Repeat("ä", 500), ""},
		{LongText, `"` + strings.Repeat("ä", 501) + `"`, "", "too long (limit: 500 characters)"},
		{Select, `"a"`, "a", ""},
		{Select, `"A"`, "", "'A' is not a valid choice for 'Field'."},
		{Date, `"2024-02-29"`, "2024-02-29", ""},
		{Date, `"2023-02-29"`, "", "is not a date"},
		{Date, `"2023-2-9"`, "", "is not a date"},
		{Date, `"29/02/2024"`, "", "is not a date"},
		{Link, `"https://example.com/a?b#c"`, "https://example.com/a?b#c", ""},
		{Link, `"http://127.0.0.1:80"`, "http://127.0.0.1:80", ""},
		{Link, `"javascript:alert(1)"`, "", "is not a URL"},
		{Link, `"//example.com"`, "", "is not a URL"},
		{Link, `"example.com"`, "", "is not a URL"},
		{Link, `"https://exa mple.com"`, "", "is not a URL"},
		{Link, `"https://"`, "", "is not a URL"},
		{Link, `"https://e.example/` + strings.Repeat("a", 2000) + `"`, "", "too long"},
		{External, `"zeno"`, "zeno", ""},
		{External, `"` + strings.Repeat("z", 51) + `"`, "", "too long"},
		{Pronouns, `"they/them"`, "they/them", ""},
		{Pronouns, `"` + strings.Repeat("z", 51) + `"`, "", "too long"},
		{Users, `[2,1,2]`, "[2,1]", ""},
		{Users, `[]`, "", ""},
		{Users, `""`, "", ""},
		{Users, `null`, "", ""},
		{Users, `"1"`, "", "is not a list of user IDs"},
		{Users, `["1"]`, "", "is not a list of user IDs"},
		{Users, `[null]`, "", "Invalid user ID: 0"},
		{Users, `[9]`, "", "Invalid user ID: 9"},
		{Users, `[5]`, "", "Invalid user ID: 5"},
		{Users, `[3]`, "", "User with ID 3 is deactivated"},
		{Users, `[4]`, "", "User with ID 4 is a bot"},
		{Users, `[` + strings.Repeat("1,", 500) + `1]`, "", "too many users"},
	} {
		f := Field{Type: c.t, Name: "Field", Data: list}
		got, err := f.Read(json.RawMessage(c.given), sees)
		refused(t, c.given, err, c.fail)
		if c.fail == "" && got != c.want {
			t.Errorf("type %d: %s is decoded as %q", c.t, c.given, got)
		}
	}
}

func TestRecord(t *testing.T) {
	b, err := json.Marshal((&Field{ID: 1, Type: Date, Order: 2, Name: "Born", Editable: true}).Record())
	if want := `{"id":1,"type":4,"order":2,"name":"Born","hint":"","field_data":"","required":false,` +
		`"editable_by_user":true}`; err != nil || string(b) != want {
		t.Errorf("%s (%v)", b, err)
	}
	if len(Types()) != 8 {
		t.Errorf("%d types", len(Types()))
	}
}
