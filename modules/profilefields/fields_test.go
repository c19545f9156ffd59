package profilefields_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
)

const fieldTypes = `{"SHORT_TEXT":{"id":1,"name":"Text (short)"},"LONG_TEXT":{"id":2,"name":"Text (long)"},
	"SELECT":{"id":3,"name":"List of options"},"DATE":{"id":4,"name":"Date"},"URL":{"id":5,"name":"Link"},"USER":{"id":6,
	"name":"Users"},
	"EXTERNAL_ACCOUNT":{"id":7,"name":"External account"},"PRONOUNS":{"id":8,"name":"Pronouns"}}`

// fields checks the fields that reader gets from GET /realm/profile_fields and /register.
func fields(s *kittest.Server, reader string, want ...string) {
	s.T.Helper()
	all := strings.Join(want, ",")
	s.As(reader).Do("GET /realm/profile_fields").Is(200, `{"result":"success","msg":"","custom_fields":[`+all+`]}`)
	a := s.As(reader).Do("POST /register", "event_types", `["custom_profile_fields"]`, "fetch_event_types",
		`["custom_profile_fields"]`).OK()
	a.Body = fmt.Sprintf(`{"fields":%s,"types":%s}`, kittest.JSON(a.Get("custom_profile_fields")),
		kittest.JSON(a.Get("custom_profile_field_types")))
	a.Is(200, fmt.Sprintf(`{"fields":[%s],"types":%s}`, all, fieldTypes))
}

func TestFields(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		s := start(t, url)
		fields(s, "guest")
		phone := add(s, 1, " Phone ", "hint", " with country ", "display_in_profile_summary", "true", "use_for_user_matching",
			"true")
		one := func(rest string) string { return fmt.Sprintf(`{"id":%d,"type":1,"order":0,`, phone) + rest + "}" }
		first := one(`"name":"Phone","hint":"with country","field_data":"","required":false,"editable_by_user":true,` +
			`"display_in_profile_summary":true,"use_for_user_matching":true`)
		s.Events(`custom_profile_fields everyone {"fields":[` + first + `]}`)
		for _, who := range []string{"guest", "alice", "bot"} {
			fields(s, who, first)
		}

		// Omitted parameters leave the field unchanged.
		patch(s, phone, "required", "true", "editable_by_user", "false", "use_for_user_matching", "false").OK()
		first = one(`"name":"Phone","hint":"with country","field_data":"","required":true,"editable_by_user":false,` +
			`"display_in_profile_summary":true`)
		s.Events(`custom_profile_fields everyone {"fields":[` + first + `]}`)
		patch(s, phone, "required", "true", "name", "Phone").OK() // no change
		s.NoEvents()
		patch(s, phone, "name", "Fax", "hint", "", "display_in_profile_summary", "false").OK()
		first = one(`"name":"Fax","hint":"","field_data":"","required":true,"editable_by_user":false`)
		s.Events(`custom_profile_fields everyone {"fields":[` + first + `]}`)
		fields(s, "alice", first)

		// A new field is added at the end, even after the others were reordered.
		city := add(s, 2, "City")
		s.As("adam").Do("PATCH /realm/profile_fields", "order", fmt.Sprintf("[%d,%d]", city, phone)).OK()
		born := add(s, 4, "Born")
		s.Skip()
		record := func(id int64, kind, order int, name string) string {
			return fmt.Sprintf(`{"id":%d,"type":%d,"order":%d,"name":%q,"hint":"","field_data":"","required":false,`+
				`"editable_by_user":true}`, id, kind, order, name)
		}
		first = fmt.Sprintf(`{"id":%d,"type":1,"order":1,"name":"Fax","hint":"","field_data":"","required":true,`+
			`"editable_by_user":false}`, phone)
		fields(s, "alice", record(city, 2, 0, "City"), first, record(born, 4, 2, "Born"))
		s.As("adam").Do("PATCH /realm/profile_fields", "order", fmt.Sprintf("[%d,%d,%d]", city, phone, born)).OK()
		s.NoEvents()
		s.As("adam").Do("PATCH /realm/profile_fields", "order", fmt.Sprintf("[%d,%d,%d]", born, city, phone)).OK()
		s.EventsOf("custom_profile_fields", "custom_profile_fields everyone")

		s.As("olga").Do(fmt.Sprintf("DELETE /realm/profile_fields/%d", phone)).OK()
		rest := []string{record(born, 4, 0, "Born"), record(city, 2, 1, "City")}
		s.Events(`custom_profile_fields everyone {"fields":[` + strings.Join(rest, ",") + `]}`)
		s.Restart()
		fields(s, "alice", rest...)
		if again := add(s, 1, "Fax"); again == phone {
			t.Error("an id was reused")
		}
	})
}

func TestFieldRefusals(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		s := start(t, url, "max_per_realm: 4")
		phone := add(s, 1, "Phone", "display_in_profile_summary", "true")
		list := add(s, 3, "Color", "field_data", `{"r":{"text":"Red","order":"1"}}`, "display_in_profile_summary", "true")
		github := add(s, 7, "", "field_data", `{"subtype":"github"}`)
		s.Skip()
		for _, c := range []struct {
			want   string
			params []string
		}{
			{"Invalid field type.", []string{"field_type", "9", "name", "x"}},
			{"Invalid field type.", []string{"field_type", "0", "name", "x"}},
			{`"field_type" is not valid JSON`, []string{"field_type", "short", "name", "x"}},
			{"Label cannot be blank.", []string{"field_type", "1"}},
			{"Label cannot be blank.", []string{"field_type", "1", "name", "  "}},
			{"name is too long (limit: 40 characters)", []string{"field_type", "1", "name", strings.Repeat("x", 41)}},
			{"hint is too long (limit: 80 characters)",
				[]string{"field_type", "1", "name", "x", "hint", strings.Repeat("x", 81)}},
			{"Invalid character", []string{"field_type", "1", "name", "a\x00b"}},
			{"A field with that label already exists.", []string{"field_type", "2", "name", " Phone"}},
			{"A field with that label already exists.",
				[]string{"field_type", "7", "name", "y", "field_data", `{"subtype":"github"}`}},
			{"Only 2 custom profile fields can be displayed in the profile summary.",
				[]string{"field_type", "1", "name", "x", "display_in_profile_summary", "true"}},
			{"Field type not supported for display in profile summary.",
				[]string{"field_type", "6", "name", "x", "display_in_profile_summary", "true"}},
			{"Field type not supported for matching users.", []string{"field_type", "2", "name", "x", "use_for_user_matching",
				"true"}},
			{"Field must have at least one choice.", []string{"field_type", "3", "name", "x"}},
			{"Field must have at least one choice.", []string{"field_type", "3", "name", "x", "field_data", "{}"}},
			{"'text' cannot be blank.", []string{"field_type", "3", "name", "x", "field_data", `{"a":{"text":"","order":"1"}}`}},
			{"'order' cannot be blank.", []string{"field_type", "3", "name", "x", "field_data", `{"a":{"text":"A"}}`}},
			{"field_data is not", []string{"field_type", "3", "name", "x", "field_data", `["a"]`}},
			{"not valid JSON", []string{"field_type", "3", "name", "x", "field_data", `{`}},
			{"subtype key is missing from field_data", []string{"field_type", "7", "name", "x"}},
			{"Invalid external account type", []string{"field_type", "7", "name", "x", "field_data", `{"subtype":"orkut"}`}},
			{"Custom external account must define URL pattern",
				[]string{"field_type", "7", "name", "x", "field_data", `{"subtype":"custom"}`}},
			{"Malformed URL pattern.", []string{"field_type", "7", "name", "x", "field_data",
				`{"subtype":"custom","url_pattern":"ftp:%(username)s"}`}},
		} {
			s.As("adam").Do("POST /realm/profile_fields", c.params...).Error(400, "BAD_REQUEST", c.want)
		}
		s.As("adam").Do("POST /realm/profile_fields", "name", "x").Error(400, "REQUEST_VARIABLE_MISSING",
			"Missing 'field_type' argument")
		patch(s, github, "name", "Git").Error(400, "BAD_REQUEST", "Default custom field cannot be updated.")
		patch(s, github, "hint", "x").Error(400, "BAD_REQUEST", "Default custom field cannot be updated.")
		patch(s, github, "field_data", `{"subtype":"twitter"}`).Error(400, "BAD_REQUEST",
			"Default custom field cannot be updated.")
		patch(s, github, "display_in_profile_summary", "true").Error(400, "BAD_REQUEST", "Only 2 custom profile fields")
		patch(s, list, "field_data", `{}`).Error(400, "BAD_REQUEST", "Field must have at least one choice.")
		patch(s, list, "name", "Phone").Error(400, "BAD_REQUEST", "A field with that label already exists.")
		patch(s, phone, "name", "").Error(400, "BAD_REQUEST", "Label cannot be blank.")
		patch(s, list, "use_for_user_matching", "true").Error(400, "BAD_REQUEST",
			"Field type not supported for matching users.")
		patch(s, 999, "name", "x").Error(400, "BAD_REQUEST", "Field id 999 not found.")
		s.As("adam").Do("DELETE /realm/profile_fields/999").Error(400, "BAD_REQUEST", "Field id 999 not found.")
		for _, order := range []string{"[]", fmt.Sprintf("[%d,%d]", phone, list),
			fmt.Sprintf("[%d,%d,%d]", phone, list, list), fmt.Sprintf("[%d,%d,999]", phone, list)} {
			s.As("adam").Do("PATCH /realm/profile_fields", "order", order).Error(400, "BAD_REQUEST", "Invalid order mapping.")
		}
		for _, who := range []string{"alice", "mona", "guest", "bot"} {
			for call, params := range map[string][]string{
				"POST /realm/profile_fields":                          {"field_type", "1", "name", "x"},
				"PATCH /realm/profile_fields":                         {"order", "[]"},
				fmt.Sprintf("PATCH /realm/profile_fields/%d", phone):  {"name", "x"},
				fmt.Sprintf("DELETE /realm/profile_fields/%d", phone): nil,
				"DELETE /realm/profile_fields/999":                    nil,
			} {
				s.As(who).Do(call, params...).Error(400, "UNAUTHORIZED_PRINCIPAL", "Must be an organization administrator")
			}
		}
		s.Anonymous().Do("GET /realm/profile_fields").Error(401, "UNAUTHORIZED", "")
		s.NoEvents()
		add(s, 8, "Pronouns")
		s.Skip()
		s.As("adam").Do("POST /realm/profile_fields", "field_type", "1", "name", "x").Error(400, "BAD_REQUEST",
			"Too many custom profile fields (limit: 4)")
		s.NoEvents()
	})
}

func TestPresetsAndLists(t *testing.T) {
	s := start(t, "")
	github := add(s, 7, "ignored", "hint", "ignored", "field_data", `{"subtype":"github"}`, "use_for_user_matching",
		"true")
	custom := add(s, 7, "Forge", "field_data",
		`{"subtype":"custom","url_pattern":"https://forge.example/~%(username)s?a=1&b=2"}`)
	list := add(s, 3, "Color", "field_data", `{"b":{"text":"Blue & green","order":"2"},"a":{"text":"Red","order":"1"}}`)
	text := add(s, 1, "Text", "field_data", `{"a":"whatever"}`)
	record := func(id int64, kind, order int, name, data, rest string) string {
		return fmt.Sprintf(`{"id":%d,"type":%d,"order":%d,"name":%q,"hint":"","field_data":%s,"required":false,`+
			`"editable_by_user":true%s}`,
			id, kind, order, name, kittest.JSON(data), rest)
	}
	fields(s, "bob",
		record(github, 7, 0, "GitHub username", `{"subtype":"github"}`, `,"use_for_user_matching":true`),
		record(custom, 7, 1, "Forge", `{"subtype":"custom","url_pattern":"https://forge.example/~%(username)s?a=1&b=2"}`, ""),
		record(list, 3, 2, "Color", `{"a":{"text":"Red","order":"1"},"b":{"text":"Blue & green","order":"2"}}`, ""),
		record(text, 1, 3, "Text", "", ""))

	// Only the display of a preset can be changed. Sending its other values unchanged is accepted.
	patch(s, github, "name", "GitHub username", "hint", "", "field_data", `{"subtype":"github"}`,
		"display_in_profile_summary", "true", "required", "true").OK()
	patch(s, custom, "field_data", `{"subtype":"custom","url_pattern":"https://b.example/%(username)s"}`, "name",
		"Bench").OK()
	a := s.As("bob").Do("GET /realm/profile_fields").OK()
	if a.Get("custom_fields.0.display_in_profile_summary") != true ||
		a.String("custom_fields.0.name") != "GitHub username" ||
		a.String("custom_fields.1.name") != "Bench" ||
		!strings.Contains(a.String("custom_fields.1.field_data"), "b.example") {
		t.Errorf("changed to %s", a.Body)
	}
}

// TestOldMobileApps checks that mobile apps without support for pronoun fields see a short text field instead.
func TestOldMobileApps(t *testing.T) {
	s := start(t, "")
	add(s, 8, "Pronouns")
	for agent, want := range map[string]string{
		"ZulipMobile/27.191 (iOS 15)": "1", "ZulipMobile/26.200 (Android 12)": "1", "ZulipMobile/27.191.3": "1",
		"ZulipMobile/27.192 (iOS 15)": "8", "ZulipMobile/28.0": "8", "ZulipMobile/28": "8", "ZulipMobile/x.y": "8",
		"Other/1.0": "8",
	} {
		c := s.As("alice").Agent(agent)
		q := c.Register("event_types", `["custom_profile_fields"]`, "fetch_event_types", `["custom_profile_fields"]`)
		if got := kittest.JSON(q.Start.Get("custom_profile_fields.0.type")); got != want {
			t.Errorf("%s: register has type %s", agent, got)
		}
		id := add(s, 1, "Another")
		e := q.Take()
		if got := kittest.JSON(e.Get("events.0.fields.0.type")); got != want {
			t.Errorf("%s: an event has type %s", agent, got)
		}
		s.As("adam").Do(fmt.Sprintf("DELETE /realm/profile_fields/%d", id)).OK()
	}
}
