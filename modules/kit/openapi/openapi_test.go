package openapi_test

import (
	"context"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/kit/openapi"
)

type place any

type cake struct {
	ID    int64  `json:"cake_id"`
	Baker *int64 `json:"baker,omitempty"`
	Where place  `json:"where"`
}

type listed struct {
	Cakes []cake `json:"cakes"`
}

type request struct {
	ID    int64   `json:"cake_id"`
	Size  *string `json:"size" enum:"small,large"`
	For   *string `json:"for" forms:"integer | array of integer"`
	Users []int64 `json:"user_ids" default:"[]"`
}

func endpoint[Req, Res any](method func(
	string, kit.Access, kit.Handler[Req, Res], string,
) kit.Endpoint, path string) kit.Endpoint {
	return method(path, kit.Users, func(context.Context, kit.Actor, Req) (Res, error) {
		var res Res
		return res, nil
	}, "Does something with cakes.")
}

func parts() kit.Parts {
	return kit.Parts{
		Endpoints: []kit.Endpoint{
			endpoint(kit.GET[request, listed], "/cakes"), endpoint(kit.POST[request, kit.None], "/cakes"),
			endpoint(kit.DELETE[request, kit.None], "/cakes/:cake_id"),
		},
		Events: []kit.AnyEvent{kit.Event[cake]("cake", "add").Any()},
		Words: kit.Words{
			"cake_id": "The ID of the cake.", "baker": "Who bakes it.", "where": "Where it is.", "cakes": "Cakes.",
			"size": "How large.", "for": "Whom it is for.",
		},
		Schemas: []kit.Schema{kit.SchemaOf[place]("Place", "A place.", "", user.ID(0))},
	}
}

func document(p kit.Parts) *openapi.Document {
	return openapi.New(openapi.Source{
		Modules: &kit.Collected{Modules: []kit.Contribution{{Module: "cakes", Doc: "Bakes.", Parts: p}}}, Version: "v1",
	})
}

func TestNew(t *testing.T) {
	d := document(parts())
	if got := d.Problems(); len(got) > 0 {
		t.Error(got)
	}
	text, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`"operationId":"getCakes"`, `"operationId":"createCake"`, `"operationId":"deleteCake"`,
		`"/cakes/{cake_id}"`, `"user_ids":{"contentType":"application/json"}`,
		`"oneOf":[{"type":"string"},{"type":"integer","format":"int64","minimum":1}]`,
		`"CakeAddEvent":{"type":"object"`,
		`"security":[{"apiKey":[]},{"csrf":[],"session":[]}]`, `"security":[{"apiKey":[]},{"session":[]}]`,
		`{"code":"RATE_LIMIT_HIT","status":429,"when":"Too many requests: try again after retry-after seconds.",` +
			`"keys":["retry-after"]}`,
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("%s is missing from\n%s", want, text)
		}
	}
}

func TestYAML(t *testing.T) {
	text, err := document(parts()).YAML()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"openapi: \"3.1.1\"\ninfo:\n  title: \"Stoa\"\n", "\nsecurity:\n  -\n    apiKey: []\n",
		"\n  \"/cakes/{cake_id}\":\n    delete:\n",
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("%q is missing from\n%.1500s", want, text)
		}
	}
}

func TestProblems(t *testing.T) {
	p := parts()
	delete(p.Words, "baker")
	p.Schemas[0].Forms = nil
	p.Endpoints = append(p.Endpoints, endpoint(kit.GET[request, kit.Object], "/cakes/all").Operation("getCakes"))
	p.Events = append(p.Events, kit.Event[cake]("cake", "eat").PerReceiver(nil).Any())
	got := document(p).Problems()
	for _, want := range []string{
		"cakes: Cake.baker (*int64) has no description; add it to the Words of the module",
		"cakes: GET /cakes/all has the name getCakes of GET /cakes; give it another with Operation",
		"cakes: GET /cakes/all has the response kit.Object; describe it with Shows",
		"cakes: the event cake/eat has a Shape; describe it with Sends",
	} {
		if !slices.ContainsFunc(got, func(s string) bool { return strings.HasSuffix(s, want[len("cakes: "):]) }) {
			t.Errorf("%q is missing from %q", want, got)
		}
	}
}

func TestChecker(t *testing.T) {
	c := openapi.NewChecker(document(parts()))
	const ok = `{"result":"success","msg":"","cakes":[{"cake_id":1,"where":"here"}]}`
	for body, want := range map[string]string{
		ok:                                       "",
		strings.Replace(ok, `"here"`, "3", 1):    "",
		strings.Replace(ok, `"here"`, "true", 1): "/cakes/0/where is boolean",
		strings.Replace(ok, `{"cake`, `{"x":1,"cake`, 1):                   "/cakes/0 has the key x, which is not described",
		strings.Replace(ok, `,"where":"here"`, "", 1):                      "/cakes/0 has no where",
		strings.Replace(ok, `:1,`, `:1.5,`, 1):                             "/cakes/0/cake_id is number",
		`{"result":"error","msg":"x","code":"BAD_REQUEST"}`:                "",
		`{"result":"error","msg":"x","code":"BAD_REQUEST","new":1}`:        "has the key new",
		`{"result":"error","msg":"x","code":"BAD_REQUEST","queue_id":"1"}`: "BAD_REQUEST has the key queue_id",
	} {
		got := c.Exchange("GET", "/cakes", nil, 200, []byte(body))
		if (got == "") != (want == "") || !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", body, got, want)
		}
	}
	for _, x := range []struct{ name, value, want string }{
		{"size", "small", ""}, {"size", "huge", "the parameter size is huge, not one of [small large]"},
		{"for", "7", ""}, {"for", "[7]", ""}, {"for", "everybody", "the parameter for is string"},
	} {
		got := c.Exchange("GET", "/cakes", url.Values{x.name: {x.value}}, 200, []byte(ok))
		if (got == "") != (x.want == "") || !strings.Contains(got, x.want) {
			t.Errorf("%s=%s: %q, want %q", x.name, x.value, got, x.want)
		}
	}
	for ignored, want := range map[string]string{
		"": "the parameter cream, which is not described", `,"ignored_parameters_unsupported":["cream"]`: "",
	} {
		body := ok[:len(ok)-1] + ignored + "}"
		got := c.Exchange("GET", "/cakes", url.Values{"user_ids": {"[1]"}, "cream": {"much"}}, 200, []byte(body))
		if (got == "") != (want == "") || !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", body, got, want)
		}
	}
}

// TestCodes checks that an operation of codes.txt answers with the codes that it lists, and others only if the route
// says so.
func TestCodes(t *testing.T) {
	const moved = `{"result":"error","msg":"x","code":"MOVE_MESSAGES_TIME_LIMIT_EXCEEDED"}`
	const taken = `{"result":"error","msg":"x","code":"REACTION_ALREADY_EXISTS"}`
	p := parts()
	patch := endpoint(kit.PATCH[request, kit.None], "/messages/:cake_id").Operation("updateMessage")
	p.Endpoints = append(p.Endpoints, patch)
	c := openapi.NewChecker(document(p))
	if got := c.Exchange("PATCH", "/messages/1", nil, 400, []byte(moved)); got != "" {
		t.Error(got)
	}
	got := c.Exchange("PATCH", "/messages/1", nil, 400, []byte(taken))
	if !strings.Contains(got, "does not list the code") {
		t.Errorf("an unknown code: %q", got)
	}
	p.Endpoints[len(p.Endpoints)-1] = patch.Fails(errs.ReactionExists)
	c = openapi.NewChecker(document(p))
	if got := c.Exchange("PATCH", "/messages/1", nil, 400, []byte(taken)); got != "" {
		t.Error(got)
	}
}

// TestCauses checks that an operation causes no events but those that causes.txt or the route lists, and those that no
// client receives.
func TestCauses(t *testing.T) {
	p := parts()
	eat := endpoint(kit.PATCH[request, kit.None], "/cakes/:cake_id").Operation("eatCake")
	p.Endpoints = append(p.Endpoints, eat, endpoint(kit.POST[request, kit.None], "/drafts").Operation("createDraft"))
	p.Events = append(p.Events, kit.Event[cake]("drafts", "add").Any(), kit.Event[cake]("oven", "").Internal().Any())
	d := document(p)
	c := openapi.NewChecker(d)
	for event, want := range map[string]string{
		"createDraft drafts/add": "", "createDraft cake/add": "is not listed", "eatCake cake/add": "is not listed",
		"eatCake oven": "",
	} {
		id, kind, _ := strings.Cut(event, " ")
		if got := c.Cause(id, kind); (got == "") != (want == "") || !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", event, got, want)
		}
	}
	p.Endpoints[len(p.Endpoints)-2] = eat.Causing("cake/add")
	if got := openapi.NewChecker(document(p)).Cause("eatCake", "cake/add"); got != "" {
		t.Error(got)
	}
}
