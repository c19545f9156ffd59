package realm

import "github.com/stoachat/stoa/modules/kit"

// exported declares how the tables are exported.
func exported() []kit.Export {
	return []kit.Export{{
		Table: "realms", Doc: "The organization.",
		Columns: []string{
			"id", "string_id", "uuid", "mail_domain", "created_at:time", "settings:json", "domains:json",
			"user_defaults:json", "emblems:json",
		},
		Without: []string{"deactivated", "delete_after", "deleting", "retention_days", "last_domain"},
		Realm:   "id",
	}}
}
