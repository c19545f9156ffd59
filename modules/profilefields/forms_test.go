package profilefields_test

import (
	"context"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
)

// Field names are unique, regardless of case and Unicode normalization form. Fields that were created before this rule
// keep their names.
func TestFormsOfNames(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		s := start(t, url)
		const taken = "A field with that label already exists."
		cafe, bar := add(s, 1, "Café"), add(s, 1, "F1")
		s.Skip()
		for _, name := range []string{"Cafe\u0301", "CAFÉ", "Ｃａｆé", "f1"} {
			s.As("adam").Do("POST /realm/profile_fields", "field_type", "1", "name", name).Error(400, "BAD_REQUEST", taken)
		}
		for _, name := range []string{"a\u202eb", "\u200b"} {
			s.As("adam").Do("POST /realm/profile_fields", "field_type", "1", "name", name).Error(400, "BAD_REQUEST",
				"Invalid character in name.")
			patch(s, cafe, "name", name).Error(400, "BAD_REQUEST", "Invalid character in name.")
		}
		patch(s, bar, "name", "Cafe\u0301").Error(400, "BAD_REQUEST", taken)
		s.NoEvents()
		for _, name := range []string{"Cafe\u0301", "CAFÉ"} {
			patch(s, cafe, "name", name).OK()
			s.EventsOf("custom_profile_fields", "custom_profile_fields everyone")
			if got := s.As("bob").Do("GET /realm/profile_fields").OK().String("custom_fields.0.name"); got != name {
				t.Errorf("the field's name is %+q, want %+q", got, name)
			}
		}
		for _, name := range []string{"Cafe\u0301", "\u200b"} {
			s.Do(func(ctx context.Context) error {
				_, err := s.App.DB().From(ctx).ExecContext(ctx, "UPDATE profile_fields SET name = ? WHERE id = ?", name, bar)
				return err
			})
			patch(s, bar, "hint", "New "+name, "name", name).OK()
			s.EventsOf("custom_profile_fields", "custom_profile_fields everyone")
		}
	})
}
