package access_test

import (
	"archive/zip"
	"bytes"
	"fmt"

	"github.com/stoachat/stoa/app/kittest"
)

// begunImports returns imports in a state. There is only one that is not complete at a time.
func begunImports(state string) *family {
	return &family{
		name:     "import",
		missing:  map[string]string{"import_id": "987654321"},
		variants: []variant{{kind: state}},
		make: func(w *fixture, _ variant, _ []*caller) object {
			w.dropImports()
			id := fmt.Sprint(w.do("POST /imports", "program", "slack", "file_name", "slack.zip", "size",
				fmt.Sprint(len(w.slack()))).Int("id"))
			o := object{map[string]string{"import_id": id, "id": id}}
			if state == "uploading" {
				return o
			}
			w.uploadImport(w.olga, id)
			if state == "uploaded" {
				return o
			}
			w.do("POST /imports/"+id+"/check", "subdomain", w.fresh())
			w.s.RunJob("imports.run")
			if state == "complete" {
				w.do("POST /imports/" + id + "/start")
				w.s.RunJob("imports.run")
			}
			return o
		},
	}
}

// dropImports deletes all imports, after what they have to do.
func (w *fixture) dropImports() {
	w.s.RunJob("imports.run")
	all, _ := w.do("GET /imports").Get("imports").([]any)
	for _, one := range all {
		w.do(fmt.Sprintf("DELETE /imports/%v", one.(map[string]any)["id"]))
	}
}

// slack returns an archive.
func (w *fixture) slack() []byte {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for name, text := range map[string]string{
		"users.json": `[{"id":"U1","name":"ann","is_primary_owner":true,"is_owner":true,"is_admin":true,` +
			`"profile":{"real_name":"Ann","email":"ann@example.com"}}]`,
		"channels.json": `[{"id":"C1","name":"general","created":1600000000,"members":["U1"]}]`,
	} {
		to, err := z.Create(name)
		w.must(err)
		_, err = to.Write([]byte(text))
		w.must(err)
	}
	w.must(z.Close())
	return b.Bytes()
}

func (w *fixture) uploadImport(c *caller, id string) *kittest.Response {
	const call = "POST /imports/:import_id/archive"
	req := c.at.Request("POST /imports/"+id+"/archive?offset=0", bytes.NewReader(w.slack()))
	req.Header.Set("Content-Type", "application/octet-stream")
	if c.host != "" {
		req.Host = c.host
	}
	return w.send(req, call)
}

func importsTable() table {
	const rule = "Owners of the organization at the root domain."
	inRoot := func(x cell) bool { return x.c.inRealm() }
	return table{"imports", "Imports of archives that owners upload.", []*row{
		{route: "GET /imports", rule: rule, who: owners, on: begunImports("uploading"), found: listedIn("imports", "id")},
		{route: "POST /imports", rule: rule, who: owners, may: inRoot, do: func(w *fixture, x cell) *kittest.Response {
			w.dropImports()
			return w.ask(x.c, "POST /imports", "program", "slack", "file_name", "slack.zip", "size", "9")
		}},
		{
			route: "POST /imports/:import_id/archive", rule: rule, who: owners, on: begunImports("uploading"), lasts: true,
			do: func(w *fixture, x cell) *kittest.Response { return w.uploadImport(x.c, x.o.fields["import_id"]) },
		},
		{
			route: "POST /imports/:import_id/check", rule: rule, who: owners, on: begunImports("uploaded"), lasts: true,
			with: []string{"subdomain", "zqfree"},
		},
		{route: "POST /imports/:import_id/start", rule: rule, who: owners, on: begunImports("checked"), lasts: true},
		{route: "POST /imports/:import_id/links", rule: rule, who: owners, on: begunImports("complete")},
		{route: "DELETE /imports/:import_id", rule: rule, who: owners, on: begunImports("uploading"), lasts: true},
	}}
}
