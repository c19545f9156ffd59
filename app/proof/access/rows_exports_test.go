package access_test

import (
	"fmt"
	"strings"
	"time"

	"github.com/stoachat/stoa/app/kittest"
)

// madeExports returns finished exports. Weeks pass between them, because of rate limits.
func madeExports() *family {
	return &family{
		name: "export",
		missing: map[string]string{
			"export_id": "987654321",
			"token":     "none",
			"filename":  "export-2026-06-01-public.tar.gz",
		},
		variants: []variant{{kind: "export"}},
		make: func(w *fixture, _ variant, _ []*caller) object {
			w.s.Clock.Advance(8 * 24 * time.Hour)
			id := fmt.Sprint(w.do("POST /export/realm").Int("id"))
			w.s.RunJob("exports.write")
			all, _ := w.do("GET /export/realm").Get("exports").([]any)
			url := all[len(all)-1].(map[string]any)["export_url"].(string)
			parts := strings.Split(url, "/")
			return object{
				map[string]string{
					"export_id": id,
					"id":        id,
					"token":     parts[len(parts)-2],
					"filename":  parts[len(parts)-1],
				},
			}
		},
	}
}

func exportsTable() table {
	const rule = "Administrators."
	return table{"exports", "Exports of the organization.", []*row{
		{route: "GET /export/realm", rule: rule, who: admins, on: madeExports(), found: listedIn("exports", "id")},
		{route: "POST /export/realm", rule: rule, who: admins, do: func(w *fixture, x cell) *kittest.Response {
			w.s.Clock.Advance(8 * 24 * time.Hour)
			return w.ask(x.c, "POST /export/realm", "export_type", "full_with_consent")
		}},
		{route: "DELETE /export/realm/:export_id", rule: rule, who: admins, on: madeExports(), lasts: true},
		{route: "GET /export/realm/consents", rule: rule, who: admins},
		{
			route: "GET /exports/:token/:filename",
			rule:  rule,
			who:   admins,
			on:    madeExports(),
			call:  "GET mount /exports/{token}/{filename}",
		},
	}}
}
