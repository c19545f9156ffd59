package fiberhttp

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stoachat/stoa/modules/kit"
)

type mixed struct {
	Name  *string           `json:"name"`
	Count *int              `json:"count"`
	Flag  *bool             `json:"flag"`
	IDs   *[]int64          `json:"ids"`
	Until kit.Nullable[int] `json:"until"`
	At    string            `json:"at" default:"nowhere"`
}

// The members of a JSON body are parameters, like those of a form, for every method.
func TestJSONBody(t *testing.T) {
	at := func(path string) []kit.Endpoint {
		return []kit.Endpoint{
			kit.GET(path, kit.Anyone, echo[mixed], ""), kit.POST(path, kit.Anyone, echo[mixed], ""),
			kit.PUT(path, kit.Anyone, echo[mixed], ""),
			kit.PATCH(path, kit.Anyone, echo[mixed], ""), kit.DELETE(path, kit.Anyone, echo[mixed], ""),
		}
	}
	type bare struct {
		ID string `json:"id"`
	}
	s := serve(t, append(at("/mixed"), kit.POST("/bare/:id", kit.Anyone, echo[bare], ""),
		kit.PATCH("/only", kit.Anyone, echo[mixed], "")), unlimited)
	got := func(ok string) string { return `{"result":"success","msg":"","got":` + ok + `}` }
	bad := func(msg string) string {
		return `{"result":"error","msg":"` + msg + `","code":"BAD_REQUEST"}`
	}
	const none = `"name":null,"count":null,"flag":null,"ids":null,"until":{"Given":false,"Null":false,"Value":0},` +
		`"at":"nowhere"`
	with := func(pairs ...string) string { return got("{" + strings.NewReplacer(pairs...).Replace(none) + "}") }
	const types = "send parameters as application/x-www-form-urlencoded, multipart/form-data or application/json."
	for _, c := range []struct {
		to, kind, body string
		status         int
		want           string
	}{
		{"POST /mixed", "application/json", `{"name":"a \"b\"","count":3,"flag":true,"ids":[1, 2],"until":null,"at":"[1]"}`,
			200, with(`"name":null`, `"name":"a \"b\""`,
				`"count":null`, `"count":3`, `"flag":null`, `"flag":true`, `"ids":null`, `"ids":[1,2]`,
				`"Given":false,"Null":false`, `"Given":true,"Null":true`, "nowhere", "[1]")},
		{"GET /mixed", "application/json", `{"count":1}`, 200, with(`"count":null`, `"count":1`)},
		{"PUT /mixed", "application/json; charset=utf-8", `{"count":"1"}`, 200, with(`"count":null`, `"count":1`)}, // text
		{"PATCH /mixed", "application/json", `{"name":5,"at":{"x":[]}}`, 200,
			with(`"name":null`, `"name":"5"`, `nowhere`, `{\"x\":[]}`)},
		{"DELETE /mixed", "application/json", `{"name":null,"at":null}`, 200, with()}, // a text that is null counts as absent
		{"POST /only", "application/json", `{"method":"PATCH","count":1}`, 200, with(`"count":null`, `"count":1`)},
		{"POST /mixed", "application/json", " ", 200, with()},
		{"POST /mixed?count=1", "application/json", `{"count":2}`, 400, bad(`Argument \"count\" was given more than once.`)},
		{"POST /mixed", "application/json", `{"ids":["x"]}`, 400, bad("ids[0] is not an integer")},
		{"POST /mixed", "application/json", `[1]`, 400,
			bad("The request body must be a JSON object whose members are the parameters.")},
		{"POST /mixed", "application/json", `{"count":`, 400, bad("The request body is not valid JSON.")},
		{"POST /mixed", "application/json", "{\"name\":\"\xff\"}", 400, bad("The request body is not valid UTF-8.")},
		{"POST /mixed", "application/json", `{"at":` + strings.Repeat("[", 33) + strings.Repeat("]", 33) + `}`, 400,
			bad("The request body is nested too deeply.")},
		{"POST /mixed", "text/plain", "count=1", 400,
			bad(`Request bodies of type \"text/plain\" are not supported; ` + types)},
		{"DELETE /mixed", "application/xml", "<count>1</count>", 400,
			bad(`Request bodies of type \"application/xml\" are not supported; ` + types)},
		{"POST /mixed", "", "count=1", 400, bad("The request body has no Content-Type; " + types)},
		{"POST /mixed", "text/plain", "", 200, with()},
		{"POST /bare/7", "text/plain", "count=1", 200, got(`{"id":"7"}`)}, // takes no parameters
	} {
		method, path, _ := strings.Cut(c.to, " ")
		r := callOptions{body: c.body, header: map[string]string{}}
		if c.kind != "" {
			r.header["Content-Type"] = c.kind
		}
		a := s.do(method+" /api/v1"+path, r)
		if a.status != c.status || a.body != c.want {
			t.Errorf("%s %s %.60s\ngot  %d %s\nwant %d %s", c.to, c.kind, c.body, a.status, a.body, c.status, c.want)
		}
	}
	a := s.do("POST /api/v1/mixed", callOptions{body: `{"name":"` + strings.Repeat("x", kit.DefaultBodyLimit) + `"}`,
		header: map[string]string{"Content-Type": "application/json"}})
	if a.status != http.StatusRequestEntityTooLarge {
		t.Errorf("a body over the limit: %d", a.status)
	}
}
