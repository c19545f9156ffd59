package messages

import "github.com/stoachat/stoa/modules/kit"

// tables returns the tables whose rows are deleted with a realm.
func tables() []kit.Rows {
	all := kit.RowsOf(
		"message_search_state",
		"message_retention",
		"message_purges",
		"message_facts",
		"message_changes",
	)
	for table, column := range map[string]string{
		"send_keys": "user_id", "read_floor": "user_id", "read_chunks": "user_id", "subscription_periods": "user_id",
		"bot_warnings": "bot_id",
	} {
		all = append(all, kit.Rows{Table: table, User: column})
	}
	return append(
		all,
		kit.Rows{Table: "messages", Key: "id", Dependents: []kit.Dependent{
			{Table: "message_flags", Column: "message_id"}, {Table: "reactions", Column: "message_id"},
			{Table: "submessages", Column: "message_id"}, {Table: "message_edits", Column: "message_id"},
			{Table: "message_search", Column: "rowid"},
		}},
		kit.Rows{Table: "message_archive", Key: "id"},
		kit.Rows{
			Table:      "conversations",
			Key:        "id",
			Dependents: []kit.Dependent{{Table: "conversation_members", Column: "conversation_id"}},
		},
	)
}
