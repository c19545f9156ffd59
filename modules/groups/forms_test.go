package groups_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/modules/accounts"
	"github.com/stoachat/stoa/modules/channels"
	"github.com/stoachat/stoa/modules/events"
	"github.com/stoachat/stoa/modules/groups"
	"github.com/stoachat/stoa/modules/realm"
)

// Group names are unique regardless of case and Unicode normalization form, and reserved names are reserved in all
// forms.
func TestFormsOfNames(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		s := kittest.StartWith(t, kittest.Options{DatabaseURL: url,
			Config: "modules: {accounts: {password_memory_kib: 64, password_passes: 1}}"},
			realm.Module, accounts.Module, channels.Module, groups.Module, events.Module)
		const composed, decomposed, upper = "Café", "Cafe\u0301", "CAFÉ"
		cafe, bar := create(t, s, composed, "members", "[]"), create(t, s, "Straße", "members", "[]")
		rename := func(id int64, name string) *kittest.Response {
			return s.As("alice").Do(fmt.Sprintf("PATCH /user_groups/%d", id), "name", name)
		}
		for name, why := range map[string]string{
			decomposed: "User group 'Cafe\u0301' already exists.", upper: "User group 'CAFÉ' already exists.",
			"Ｃａｆｅ\u0301": "User group 'Ｃａｆｅ\u0301' already exists.", "STRASSE": "User group 'STRASSE' already exists.",
			"＠x": "User group name cannot start with '@'.", "﹫x": "User group name cannot start with '@'.",
			"ｒｏｌｅ：x": "User group name cannot start with 'role:'.", "ROLE:x": "User group name cannot start with 'role:'.",
			"\u200brole:x": "Invalid characters in user group name!", "role\u2060:x": "Invalid characters in user group name!",
			"a\u202eb": "Invalid characters in user group name!", "\u3164": "User group name can't be empty!",
		} {
			s.As("alice").Do("POST /user_groups/create", "name", name, "description", "", "members", "[]").Error(400,
				"BAD_REQUEST", why)
			if name != "STRASSE" {
				rename(bar, name).Error(400, "BAD_REQUEST", why)
			}
		}
		s.NoEvents()
		for _, name := range []string{decomposed, upper, composed} {
			rename(cafe, name).OK()
			s.Events(fmt.Sprintf(`user_group/update everyone {"group_id":%d,"data":{"name":%q}}`, cafe, name))
		}
		rename(bar, "STRASSE").OK()
		s.Skip()

		// Two groups whose equal names predate the rule keep them and can be changed.
		s.Do(func(ctx context.Context) error {
			_, err := s.App.DB().From(ctx).ExecContext(ctx, "UPDATE user_groups SET name = ?, name_key = ? WHERE id = ?",
				decomposed, "cafe\u0301", bar)
			return err
		})
		s.Restart()
		s.Skip()
		for _, id := range []int64{cafe, bar} {
			s.As("alice").Do(fmt.Sprintf("PATCH /user_groups/%d", id), "description", "New.").OK()
			s.Events(fmt.Sprintf(`user_group/update everyone {"group_id":%d,"data":{"description":"New."}}`, id))
			s.As("alice").Do(fmt.Sprintf("POST /user_groups/%d/deactivate", id)).OK()
			s.As("alice").Do(fmt.Sprintf("PATCH /user_groups/%d", id), "deactivated", "false").OK()
			s.Skip()
		}
		rename(bar, upper).Error(400, "BAD_REQUEST", "User group 'CAFÉ' already exists.")
		rename(cafe, upper).Error(400, "BAD_REQUEST", "User group 'CAFÉ' already exists.")
		s.NoEvents()
		rename(bar, "Bar").OK()
		rename(cafe, upper).OK()
		s.Events(fmt.Sprintf(`user_group/update everyone {"group_id":%d,"data":{"name":"Bar"}}`, bar),
			fmt.Sprintf(`user_group/update everyone {"group_id":%d,"data":{"name":"CAFÉ"}}`, cafe))
	})
}
