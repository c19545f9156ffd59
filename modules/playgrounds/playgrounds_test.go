package playgrounds_test

import (
	"fmt"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/modules/accounts"
	"github.com/stoachat/stoa/modules/channels"
	"github.com/stoachat/stoa/modules/events"
	"github.com/stoachat/stoa/modules/playgrounds"
	"github.com/stoachat/stoa/modules/realm"
)

func TestModule(t *testing.T) {
	kittest.Check(t, playgrounds.Module, realm.Module, accounts.Module)
}

const (
	listEvent = `realm_playgrounds everyone {}`
	notAdmin  = "Must be an organization administrator"
	tryURL    = "https://play.org/{?code}"
)

// seen returns the list in a user's /register.
func seen(s *kittest.Server, who string) string {
	s.T.Helper()
	return kittest.JSON(s.As(who).Do("POST /register", "event_types",
		`["realm_playgrounds"]`).OK().Get("realm_playgrounds"))
}

func TestPlaygrounds(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		s := kittest.StartWith(t, kittest.Options{DatabaseURL: url,
			Config: "modules: {accounts: {password_memory_kib: 8, password_passes: 1}, playgrounds: {max_per_realm: 3}}"},
			realm.Module, accounts.Module, channels.Module, events.Module, playgrounds.Module)
		s.Skip()
		add := func(name, language string) *kittest.Response {
			return s.As("adam").Do("POST /realm/playgrounds", "name", name, "pygments_language", language, "url_template",
				tryURL)
		}
		one := func(id int64, name, language string) string {
			return fmt.Sprintf(`{"id":%d,"name":%q,"pygments_language":%q,"url_template":%q}`, id, name, language, tryURL)
		}
		kittest.Equal(t, "at first", seen(s, "alice"), "[]")
		queue := func(who string) func() *kittest.Response {
			return s.As(who).Register("event_types", `["realm_playgrounds"]`).Take
		}
		guest, bot := queue("guest"), queue("bot")

		goID := add(" Go play ", "Go").OK().Int("id")
		s.Events(listEvent)
		rust := add("Rust", "Rust").OK().Int("id")
		s.Events(listEvent)
		whole := "[" + one(goID, "Go play", "Go") + "," + one(rust, "Rust", "Rust") + "]"
		for _, who := range []string{"alice", "guest", "bot", "adam"} {
			kittest.Equal(t, who, seen(s, who), whole)
		}
		a := guest()
		kittest.Equal(t, "event", kittest.JSON(a.Get("events.1.type"))+kittest.JSON(a.Get("events.1.realm_playgrounds")),
			`"realm_playgrounds"`+whole)

		// Refused requests change nothing.
		add("Go play", "Go").Error(400, "BAD_REQUEST", "A playground of this language and name already exists.")
		add(" ", "Go").Error(400, "BAD_REQUEST", "name cannot be blank")
		add("x", "a;b").Error(400, "BAD_REQUEST", "Invalid characters in pygments language")
		s.As("adam").Do("POST /realm/playgrounds", "name", "x", "pygments_language", "Go", "url_template", "https://x.org").
			Error(400, "BAD_REQUEST", `Missing the required variable "code" in the URL template`)
		s.As("adam").Do("POST /realm/playgrounds", "name", "x", "pygments_language", "Go").Error(400,
			"REQUEST_VARIABLE_MISSING", "url_template")
		for _, who := range []string{"alice", "mona", "guest", "bot"} {
			s.As(who).Do("POST /realm/playgrounds", "name", "x", "pygments_language", "Go", "url_template", tryURL).Error(400,
				"UNAUTHORIZED_PRINCIPAL", notAdmin)
			s.As(who).Do(fmt.Sprintf("DELETE /realm/playgrounds/%d", goID)).Error(400, "UNAUTHORIZED_PRINCIPAL", notAdmin)
		}
		s.Anonymous().Do("POST /realm/playgrounds", "name", "x", "pygments_language", "Go", "url_template", tryURL).Error(401,
			"UNAUTHORIZED", "Not logged in")
		s.As("adam").Do(fmt.Sprintf("DELETE /realm/playgrounds/%d", goID+100)).Error(400, "BAD_REQUEST", "Invalid playground")
		s.As("adam").Do("DELETE /realm/playgrounds/x").Error(404, "BAD_REQUEST", "Not found")
		other := add("Other", "Go").OK().Int("id") // same language, different name
		s.Events(listEvent)
		add("More", "Go").Error(400, "BAD_REQUEST", "Too many playgrounds (limit: 3). Remove some first.")
		s.NoEvents()

		// The default language of code blocks is reset with a playground of that language, and not with others.
		s.As("adam").Do("PATCH /realm", "default_code_block_language", "Go").OK()
		s.Skip()
		s.As("adam").Do(fmt.Sprintf("DELETE /realm/playgrounds/%d", rust)).OK()
		s.Events(listEvent)
		code := func() string {
			return s.As("bob").Do("POST /register", "fetch_event_types",
				`["realm"]`).OK().String("realm_default_code_block_language")
		}
		kittest.Equal(t, "of another language", code(), "Go")
		s.As("olga").Do(fmt.Sprintf("DELETE /realm/playgrounds/%d", goID)).OK()
		s.Events(`realm/update everyone {"property":"default_code_block_language","value":""}`, listEvent)
		kittest.Equal(t, "of this language", code(), "")
		s.As("adam").Do(fmt.Sprintf("DELETE /realm/playgrounds/%d", goID)).Error(400, "BAD_REQUEST", "Invalid playground")
		s.NoEvents()
		s.Restart()
		kittest.Equal(t, "left", seen(s, "bob"), "["+one(other, "Other", "Go")+"]")
		a = bot()
		kittest.Equal(t, "last event", kittest.JSON(a.Get("events.4.realm_playgrounds")), "["+one(other, "Other", "Go")+"]")
	})
}
