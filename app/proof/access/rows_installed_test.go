package access_test

import (
	"strings"

	"github.com/stoachat/stoa/app/proof/internal/harness"
)

// wasmTable describes the routes of an installed module whose manifest admits all users. modules/wasm tests manifests
// that admit fewer.
func wasmTable() table {
	methods := []string{"GET", "POST", "PUT", "PATCH", "DELETE"}
	var routes []string
	for _, m := range methods {
		routes = append(routes, `{"method":"`+m+`","path":"/all","access":"users"}`)
	}
	manifest := `{"abi":1,"name":"probe","title":"Probe","version":"1","routes":[` + strings.Join(routes, ",") + "]}"
	installed := &family{name: "module", missing: map[string]string{"module_name": "nothing", "module_path": "all"},
		variants: []variant{{kind: "module"}},
		make: func(w *fixture, _ variant, _ []*caller) object {
			harness.InstallGuest(w.s, w.s.Realm, manifest, `{"act":"log","args":{"text":"called"}}`)
			return object{map[string]string{"module_name": "probe", "module_path": "all"}}
		}}
	var rows []*row
	for _, m := range methods {
		rows = append(rows, &row{
			route: m + " /modules/:module_name/:module_path+", rule: "Users whom the module's manifest admits.", who: users,
			on:   installed,
			same: func(text string) string { return strings.ReplaceAll(text, `"nothing"`, `"probe"`) },
		})
	}
	rows = append(rows, &row{
		route: "GET mount /static/web/modules/installed", name: "no file", rule: "No one.", who: always("404"),
	})
	return table{"wasm", "Routes of installed modules.", rows}
}
