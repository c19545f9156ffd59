package access_test

func apidocsTable() table {
	return table{"apidocs", "The description of the API.", []*row{
		{route: "GET /openapi.json", rule: "Everyone.", who: anyone},
		{route: "GET /openapi.yaml", rule: "Everyone.", who: anyone},
		{route: "GET mount /api/docs", rule: "Everyone.", who: anyone},
	}}
}
