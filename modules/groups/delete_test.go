package groups_test

import (
	"fmt"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
)

// Owners can delete deactivated groups for good, unless something that can be restored uses them.
func TestDelete(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		s := startGroupServer(t, url)
		id := create(t, s.Server, "Core", "members", ids(s.Server, "bob"))
		above := create(t, s.Server, "Above", "members", "[]", "subgroups", fmt.Sprintf("[%d]", id))
		room := s.channel("can_send_message_group", fmt.Sprint(id))
		call := func(id int64) string { return fmt.Sprintf("DELETE /user_groups/%d", id) }
		s.olga(call(id)).Error(400, "BAD_REQUEST", "Deactivate the group first")
		s.archive(room).OK()
		s.deactivate(above).OK()
		s.deactivate(id).OK()
		s.Skip()
		s.As("alice").Do(call(id)).Error(400, "UNAUTHORIZED_PRINCIPAL", "owner")
		s.As("adam").Do(call(id)).Error(400, "UNAUTHORIZED_PRINCIPAL", "owner")
		s.olga(call(6)).Error(400, "BAD_REQUEST", "Only deactivated")
		s.olga(call(id)).Is(400, fmt.Sprintf(`{"result":"error","code":"CANNOT_DEACTIVATE_GROUP_IN_USE","msg":"*","objections":[
			{"type":"subgroup","supergroup_ids":[%d]},{"type":"channel","channel_id":%d,"settings":["can_send_message_group"]}]}`,
			above, room))
		s.NoEvents()
		s.olga(fmt.Sprintf("PATCH /streams/%d", room), "can_send_message_group", `{"new":6}`).OK()

		old := register(s.As("mona"))
		modern := register(s.As("mona"), "client_capabilities",
			`{"notification_settings_null":true,"include_deactivated_groups":true}`)
		s.olga(call(above)).OK()
		s.olga(call(id)).OK()
		same(t, "an older client", old.Texts())
		same(t, "a modern client", modern.Texts(), fmt.Sprintf(`{"group_id":%d,"op":"remove","type":"user_group"}`, above),
			fmt.Sprintf(`{"group_id":%d,"op":"remove","type":"user_group"}`, id))
		s.Restart()
		s.olga(call(id)).Error(400, "BAD_REQUEST", "Invalid user group")
		create(t, s.Server, "Core", "members", "[]") // the name is free
	})
}
