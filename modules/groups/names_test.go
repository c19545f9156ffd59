package groups_test

import (
	"context"
	"fmt"
	"testing"
)

// A group whose name predates the rules keeps it, and its other properties can be changed.
func TestNameOlderThanTheRules(t *testing.T) {
	s := start(t)
	id, name := create(t, s, "Kernel", "members", "[]"), "\u3164"
	s.Do(func(ctx context.Context) error {
		_, err := s.App.DB().From(ctx).ExecContext(ctx, "UPDATE user_groups SET name = ? WHERE id = ?", name, id)
		return err
	})
	s.Restart()
	s.Skip()
	call := fmt.Sprintf("PATCH /user_groups/%d", id)
	s.As("alice").Do(call, "name", " "+name, "description", "New.").OK()
	s.Events(fmt.Sprintf(`user_group/update everyone {"group_id":%d,"data":{"description":"New."}}`, id))
	s.As("alice").Do(call, "name", name+"\u200b").Error(400, "BAD_REQUEST", "User group name can't be empty!")
	s.As("alice").Do(call, "name", "Seen", "description", "Newer.").OK()
	s.Events(fmt.Sprintf(`user_group/update everyone {"group_id":%d,"data":{"name":"Seen","description":"Newer."}}`, id))
}
