package playgrounds_test

import (
	"testing"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/modules/accounts"
	"github.com/stoachat/stoa/modules/channels"
	"github.com/stoachat/stoa/modules/events"
	"github.com/stoachat/stoa/modules/playgrounds"
	"github.com/stoachat/stoa/modules/realm"
)

// The combination of language and name is unique, regardless of case and Unicode normalization form.
func TestFormsOfNames(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		s := kittest.StartWith(t, kittest.Options{DatabaseURL: url,
			Config: "modules: {accounts: {password_memory_kib: 64, password_passes: 1}}"},
			realm.Module, accounts.Module, channels.Module, events.Module, playgrounds.Module)
		add := func(name, language string) *kittest.Response {
			return s.As("adam").Do("POST /realm/playgrounds", "name", name, "pygments_language", language, "url_template",
				tryURL)
		}
		add("Café 1", "Go").OK()
		s.Skip()
		for _, name := range []string{"Café 1", "Cafe\u0301 1", "CAFÉ 1", "Ｃａｆé\u00a0１"} {
			add(name, "Go").Error(400, "BAD_REQUEST", "A playground of this language and name already exists.")
			add(name, "go").Error(400, "BAD_REQUEST", "A playground of this language and name already exists.")
		}
		add("a\u202eb", "Go").Error(400, "BAD_REQUEST", "Invalid character in name.")
		add("\u3164", "Go").Error(400, "BAD_REQUEST", "Invalid character in name.")
		s.NoEvents()
		add("Café 1", "C").OK()
		add("Cafe 1", "Go").OK()
		s.Events(listEvent, listEvent)
	})
}
