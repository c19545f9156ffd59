package access_test

func auditTable() table {
	return table{"audit", "The audit log.", []*row{
		{route: "GET /audit_log", rule: "Owners.", who: owners},
		{route: "GET /audit_log/export", rule: "Owners.", who: owners, with: []string{"format", "jsonl"}},
	}}
}
