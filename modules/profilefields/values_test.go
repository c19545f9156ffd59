package profilefields_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
)

const list = `{"r":{"text":"Red","order":"1"},"g":{"text":"Green","order":"2"},"b":{"text":"Blue","order":"3"}}`

// valueEvent returns the event for a changed value as clients receive it. rendered is "" for types without Markdown.
func valueEvent(s *kittest.Server, who string, field int64, value, rendered string) string {
	if rendered != "" {
		rendered = `"rendered_value":` + text(rendered) + ","
	}
	return fmt.Sprintf(`{"op":"update","person":{"custom_profile_field":{"id":%d,%s"value":%s},"user_id":%d},`+
		`"type":"realm_user"}`,
		field, rendered, value, s.UserID(who))
}

func TestValues(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		s := start(t, url)
		short, long := add(s, 1, "Short"), add(s, 2, "Long")
		color, born, site := add(s, 3, "Color", "field_data", list), add(s, 4, "Born"), add(s, 5, "Site")
		friends, git, pron := add(s, 6, "Friends"), add(s, 7, "", "field_data", `{"subtype":"github"}`), add(s, 8, "Pronouns")
		alice, bob := s.UserID("alice"), s.UserID("bob")
		mine, others, bots := s.As("alice").Register(), s.As("guest").Register("event_types", `["realm_user"]`),
			s.As("bot").Register("event_types", `["realm_user"]`)
		none := s.As("bob").Register("event_types", `["message"]`)
		if got := profile(s, "guest", "alice"); got != "{}" {
			t.Errorf("at first: %s", got)
		}

		// All types in one request: one event each, in the order of the fields.
		setValues(s, "alice", pron, `"she/her"`, short, `"*so* <b>"`, long, `"a\n\n:smile: @**Bob**"`, color, `"g"`, born,
			`"1999-12-31"`, site,
			`"https://a.example/?x=1&y=2"`, friends, fmt.Sprintf("[%d,%d]", bob, alice), git, `"zeno"`).
			Is(200, `{"result":"success","msg":""}`)
		events := []string{
			valueEvent(s, "alice", short, `"*so* <b>"`, "<p><em>so</em> &lt;b&gt;</p>"),
			"", // the long text, below
			valueEvent(s, "alice", color, `"g"`, ""), valueEvent(s, "alice", born, `"1999-12-31"`, ""),
			valueEvent(s, "alice", site, `"https://a.example/?x=1&y=2"`, ""),
			valueEvent(s, "alice", friends, fmt.Sprintf(`"[%d,%d]"`, bob, alice), ""),
			valueEvent(s, "alice", git, `"zeno"`, ""), valueEvent(s, "alice", pron, `"she/her"`, ""),
		}
		a := s.As("bob").Do(fmt.Sprintf("GET /users/%d", alice), "include_custom_profile_fields", "true").OK()
		html := a.String(fmt.Sprintf("user.profile_data.%d.rendered_value", long))
		if !strings.Contains(html, `class="emoji`) || strings.Contains(html, "user-mention") {
			t.Errorf("the long text is rendered as %s", html)
		}
		events[1] = valueEvent(s, "alice", long, `"a\n\n:smile: @**Bob**"`, html)
		mine.Is(events...)
		others.Is(events...)
		bots.Is(events...)
		none.Is()
		a.Body = profile(s, "guest", "alice")
		want := fmt.Sprintf(`{"%d":{"value":"*so* <b>","rendered_value":"<p><em>so</em> &lt;b&gt;</p>"},
			"%d":{"value":"a\n\n:smile: @**Bob**","rendered_value":%s},
			"%d":{"value":"g"},"%d":{"value":"1999-12-31"},"%d":{"value":"https://a.example/?x=1&y=2"},"%d":{"value":"[%d,%d]"},
			"%d":{"value":"zeno"},"%d":{"value":"she/her"}}`,
			short, long, kittest.JSON(html), color, born, site, friends, bob, alice, git, pron)
		a.Is(200, want)
		a.Body = profile(s, "alice", "alice")
		a.Is(200, want)
		if got := profile(s, "bob", "bob"); got != "{}" {
			t.Errorf("bob: %s", got)
		}

		// Unchanged values produce no event, changed ones do, and empty ones remove the value.
		setValues(s, "alice", color, `"g"`, short, `"*so* <b>"`).OK()
		mine.Is()
		s.Skip()
		setValues(s, "alice", color, `"b"`, short, `"*so* <b>"`, born, "null", site, `""`, friends, "[]", pron, `" "`, pron,
			"null").OK()
		s.Events(
			fmt.Sprintf(`realm_user/update seeing:alice {"person":{"user_id":%d,"custom_profile_field":{"id":%d,"value":"b"}}}`,
				alice, color),
			"realm_user/update seeing:alice", "realm_user/update seeing:alice", "realm_user/update seeing:alice",
			"realm_user/update seeing:alice")
		others.Is(valueEvent(s, "alice", color, `"b"`, ""), valueEvent(s, "alice", born, "null", ""),
			valueEvent(s, "alice", site, "null", ""),
			valueEvent(s, "alice", friends, "null", ""), valueEvent(s, "alice", pron, "null", ""))
		s.As("alice").Do("DELETE /users/me/profile_data", "data",
			fmt.Sprintf("[%d,%d,%d,%d]", long, short, short, born)).Is(200, `{"result":"success","msg":""}`)
		others.Is(valueEvent(s, "alice", short, "null", ""), valueEvent(s, "alice", long, "null", ""))
		s.Restart()
		a.Body = profile(s, "bob", "alice")
		a.Is(200, fmt.Sprintf(`{"%d":{"value":"b"},"%d":{"value":"zeno"}}`, color, git))
	})
}

func TestValueRefusals(t *testing.T) {
	s := start(t, "")
	short, long := add(s, 1, "Short"), add(s, 2, "Long")
	color, born, site := add(s, 3, "Color", "field_data", list), add(s, 4, "Born"), add(s, 5, "Site")
	friends, git, fixed := add(s, 6, "Friends"), add(s, 7, "", "field_data", `{"subtype":"github"}`),
		add(s, 1, "Number", "editable_by_user", "false")
	setValues(s, "alice", short, `"before"`).OK()
	s.As("adam").Do(fmt.Sprintf("DELETE /users/%d", s.UserID("mona"))).OK()
	s.Skip()
	for _, c := range []struct {
		field int64
		value any
		want  string
	}{
		{short, `"` + strings.Repeat("x", 51) + `"`, "Short is too long (limit: 50 characters)"},
		{long, `"` + strings.Repeat("x", 501) + `"`, "Long is too long (limit: 500 characters)"},
		{short, `"a\u0000b"`, "Invalid character"},
		{long, `"a\u0000b"`, "Invalid character"},
		{short, `7`, "Short is not a string"},
		{short, `{"a":1}`, "Short is not a string"},
		{color, `"Red"`, "'Red' is not a valid choice for 'Color'."},
		{born, `"yesterday"`, "Born is not a date"},
		{site, `"javascript:alert(1)"`, "Site is not a URL"},
		{friends, `"x"`, "Friends is not a list of user IDs"},
		{friends, `[99999]`, "Invalid user ID: 99999"},
		{friends, fmt.Sprintf("[%d]", s.UserID("bot")), "is a bot"},
		{friends, fmt.Sprintf("[%d]", s.UserID("mona")), "is deactivated"},
		{git, `"` + strings.Repeat("x", 51) + `"`, "GitHub username is too long (limit: 50 characters)"},
		{fixed, `"1"`, "Only administrators may edit Number."},
		{fixed, `null`, "Only administrators may edit Number."},
		{9999, `"x"`, "Field id 9999 not found."},
	} {
		setValues(s, "alice", short, `"after"`, c.field, c.value).Error(400, "BAD_REQUEST", c.want)
	}
	for body, want := range map[string]string{
		`{}`: "is not a list", `[1]`: "is not a dict", `[{"id":1}]`: "value key is missing", `[`: "valid JSON",
		`[{"id":"x","value":"y"}]`: "is not an integer",
	} {
		s.As("alice").Do("PATCH /users/me/profile_data", "data",
			strings.Replace(body, `"id":1}`, fmt.Sprintf(`"id":%d}`, short), 1)).Error(400, "BAD_REQUEST", want)
	}
	s.As("alice").Do("PATCH /users/me/profile_data").Error(400, "REQUEST_VARIABLE_MISSING", "data")
	s.As("alice").Do("DELETE /users/me/profile_data", "data", "[9999]").Error(400, "BAD_REQUEST",
		"Field id 9999 not found.")
	s.As("alice").Do("DELETE /users/me/profile_data", "data", fmt.Sprintf("[%d,%d]", short, fixed)).Error(400,
		"BAD_REQUEST", "Only administrators may edit Number.")
	setValues(s, "bot", short, `"x"`).Error(400, "BAD_REQUEST", "This endpoint does not accept bot requests.")
	s.As("bot").Do("DELETE /users/me/profile_data", "data", "[]").Error(400, "BAD_REQUEST",
		"This endpoint does not accept bot requests.")
	s.Anonymous().Do("PATCH /users/me/profile_data", "data", "[]").Error(401, "UNAUTHORIZED", "")
	s.NoEvents()
	if got := profile(s, "bob", "alice"); !strings.Contains(got, "before") {
		t.Errorf("a refused request left %s", got)
	}
	setValues(s, "adam", fixed, `"1"`).OK() // administrators may change it, even in their own profiles
	setValues(s, "guest", short, `"hello"`).OK()
}

func TestAdministratorsGiveValues(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		s := start(t, url)
		fixed, friends := add(s, 1, "Number", "editable_by_user", "false"), add(s, 6, "Friends")
		alice, path := s.UserID("alice"), fmt.Sprintf("PATCH /users/%d", s.UserID("alice"))
		q := s.As("bob").Register("event_types", `["realm_user"]`)
		give := func(who, path, data string, more ...string) *kittest.Response {
			return s.As(who).Do(path, append([]string{"profile_data", data}, more...)...)
		}
		give("adam", path, data(fixed, `"17"`, friends, fmt.Sprintf("[%d]", s.UserID("mona"))), "full_name", "Alicia").OK()
		q.Is(fmt.Sprintf(`{"op":"update","person":{"full_name":"Alicia","user_id":%d},"type":"realm_user"}`, alice),
			valueEvent(s, "alice", fixed, `"17"`, "<p>17</p>"),
			valueEvent(s, "alice", friends, fmt.Sprintf(`"[%d]"`, s.UserID("mona")), ""))
		give("olga", "PATCH /users/alice@example.com", data(fixed, `""`)).OK()
		q.Is(valueEvent(s, "alice", fixed, "null", ""))

		// If one value is refused, nothing changes.
		s.Skip()
		give("adam", path, data(fixed, `"18"`, friends, `"x"`), "full_name", "Alice").Error(400, "BAD_REQUEST",
			"is not a list")
		give("adam", path, data(9999, `"18"`), "full_name", "Alice").Error(400, "BAD_REQUEST", "Field id 9999 not found.")
		give("adam", path, data(fixed, `"18"`), "role", "7").Error(400, "BAD_REQUEST", "Invalid role")
		bot := fmt.Sprintf("PATCH /users/%d", s.UserID("bot"))
		give("adam", bot, data(fixed, `"18"`)).Error(400, "BAD_REQUEST", "Bots have no profile.")
		give("alice", bot, data(fixed, `"18"`)).Error(400, "BAD_REQUEST", "Bots have no profile.")
		give("bob", path, data(fixed, `"18"`)).Error(400, "UNAUTHORIZED_PRINCIPAL", "Must be an organization administrator")
		give("alice", path, data(fixed, `"18"`)).Error(400, "UNAUTHORIZED_PRINCIPAL", "Must be an organization administrator")
		s.NoEvents()
		if got := profile(s, "bob", "alice"); got != fmt.Sprintf(`{"%d":{"value":"[%d]"}}`, friends, s.UserID("mona")) {
			t.Errorf("alice: %s", got)
		}

		// Deactivated users keep their profile, and it can be changed.
		s.As("adam").Do(fmt.Sprintf("DELETE /users/%d", alice)).OK()
		ended := func(who string) string {
			return fmt.Sprintf(`{"op":"update","person":{"is_active":false,"user_id":%d},"type":"realm_user"}`, s.UserID(who))
		}
		q.Is(ended("bot"), ended("alice"))
		give("adam", path, data(fixed, `"19"`)).OK()
		q.Is(valueEvent(s, "alice", fixed, `"19"`, "<p>19</p>"))
		reg := s.As("bob").Do("POST /register", "event_types", `["realm_user"]`, "fetch_event_types", `["realm_user"]`)
		if got := listed(s, "bob", alice, "realm_non_active_users", reg); !strings.Contains(got, `"19"`) {
			t.Errorf("register contains a deactivated user: %s", got)
		}
	})
}

// Required fields are enforced by clients only: the server accepts missing and empty values.
func TestRequiredIsAHint(t *testing.T) {
	s := start(t, "")
	phone, other := add(s, 1, "Phone", "required", "true"), add(s, 1, "Other")
	setValues(s, "alice", other, `"here"`).OK()
	setValues(s, "alice", phone, `"123"`).OK()
	setValues(s, "alice", phone, `""`).OK()
	setValues(s, "alice", phone, `"456"`).OK()
	s.As("alice").Do("DELETE /users/me/profile_data", "data", fmt.Sprintf("[%d]", phone)).OK()
	a := s.As("bob").Do(fmt.Sprintf("GET /users/%d", s.UserID("alice")), "include_custom_profile_fields", "true").OK()
	a.Body = kittest.JSON(a.Get("user.profile_data"))
	a.Is(200, fmt.Sprintf(`{"%d":{"rendered_value":"<p>here</p>","value":"here"}}`, other))
}

// A profile does not reveal channels that its author is not allowed to see.
func TestProfilesRevealNoChannels(t *testing.T) {
	s := start(t, "")
	bio := add(s, 2, "Bio")
	s.As("bob").Do("POST /channels/create", "name", "probe", "subscribers", "[]").OK()
	written := func(who, channel string) string {
		setValues(s, who, bio, `"#**`+channel+`** #**`+channel+`>plans**"`).OK()
		a := s.As("guest").Do(fmt.Sprintf("GET /users/%d", s.UserID(who)), "include_custom_profile_fields", "true").OK()
		return strings.ReplaceAll(a.String(fmt.Sprintf("user.profile_data.%d.rendered_value", bio)), channel, "X")
	}
	nothing := written("guest", "nowhere")
	for _, c := range []struct {
		who, channel string
		links        bool
	}{{"guest", "probe", false}, {"guest", "secret", false}, {"guest", "general", true}, {"bob", "probe", true},
		{"bob", "secret", false}, {"alice", "secret", false}} {
		got := written(c.who, c.channel)
		if links := strings.Count(got, "<a ") == 2; links != c.links || !links && got != nothing {
			t.Errorf("%s of %s: %s", c.who, c.channel, got)
		}
	}
}
