package bots

import "github.com/stoachat/stoa/modules/kit"

// exported declares how the tables are exported.
func exported() []kit.Export {
	kept := []kit.Export{{
		Table: "bots", Doc: "A bot's default channels and, for outgoing webhook bots, the URL that it posts to.",
		Columns: []string{
			"user_id", "sends", "listens", "all_public:bool", "service_name", "service_url",
			"service_interface",
		},
		Without: []string{"config", "service_token"},
		Key:     []string{"user_id"},
		Person:  "user_id",
	}}
	return append(kept, kit.NotExported("may contain keys of other services", "bot_storage", "bot_storages")...)
}
