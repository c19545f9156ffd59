package fiberhttp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
)

type thing struct {
	ID    int64   `json:"thing_id"`
	Name  *string `json:"name"`
	Share *bool   `json:"share"`
}

type named struct {
	Name string `json:"name"`
}

func fails(err error) kit.Handler[kit.None, kit.None] {
	return func(context.Context, kit.Actor, kit.None) (kit.None, error) { return kit.None{}, err }
}

// whoami responds with what the handler is told about the caller.
func whoami(_ context.Context, a kit.Actor, _ kit.None) (map[string]any, error) {
	return map[string]any{"user": a.User, "role": a.Role, "client": a.Client, "agent": a.Agent, "url": a.URL,
		"realm": a.Realm, "key": a.Key}, nil
}

func rows() []kit.Endpoint {
	return []kit.Endpoint{
		kit.PATCH("/things/:thing_id", kit.Users, echo[thing], ""),
		kit.POST("/things/:thing_id", kit.Users, func(context.Context, kit.Actor, struct {
			ID int64 `json:"thing_id"`
		}) (map[string]any, error) {
			return map[string]any{"made": true}, nil
		}, ""),
		kit.GET("/things/:thing_id", kit.Users, echo[thing], ""),
		kit.GET("/things/mine", kit.Users, whoami, ""),
		kit.GET("/open", kit.Anyone, whoami, ""),
		kit.POST("/open", kit.Anyone, echo[named], ""),
		kit.GET("/files/:path+", kit.Users, echo[struct {
			Path string `json:"path"`
		}], ""),
		kit.POST("/messages", kit.Users, whoami, "").Webhooks(),
		kit.GET("/members", kit.Members, whoami, ""),
		kit.GET("/humans", kit.Humans, whoami, ""),
		kit.GET("/owners", kit.Owners, whoami, ""),
		kit.GET("/bots-only", kit.Bots, whoami, ""),
		kit.GET("/persons", kit.HumanMembers, whoami, ""),
		kit.GET("/bad", kit.Anyone, fails(errs.New(errs.BadEventQueue, "Bad event queue ID: %s", "q").With("queue_id", "q")),
			""),
		kit.GET("/conflict", kit.Anyone, fails(errs.New(errs.ChannelExists, "x").With("channel_name", "y")), ""),
		kit.GET("/missing", kit.Anyone, fails(errs.New(errs.NotFound, "No such thing")), ""),
		kit.GET("/broken", kit.Anyone, fails(errors.New("disk on fire at sector 7")), ""),
		kit.GET("/down", kit.Anyone, fails(errs.New(errs.Unavailable, "Try again").Because(errors.New("no database"))), ""),
		kit.GET("/slow", kit.Anyone, fails(fmt.Errorf("query: %w", context.DeadlineExceeded)), ""),
		kit.GET("/panic", kit.Anyone, func(context.Context, kit.Actor, kit.None) (kit.None, error) { panic("sector 8") }, ""),
		kit.GET("/empty", kit.Anyone, fails(nil), ""),
		kit.GET("/html", kit.Anyone, func(context.Context, kit.Actor, kit.None) (map[string]any, error) {
			return map[string]any{"a": "<b>&"}, nil
		}, ""),
		kit.GET("/itself", kit.Anyone, func(context.Context, kit.Actor, kit.None) (written, error) {
			return written{`{"b":"<b>"}`}, nil
		}, ""),
		kit.GET("/itself/empty", kit.Anyone, func(context.Context, kit.Actor, kit.None) (written, error) {
			return written{"null"}, nil
		}, ""),
		kit.GET("/itself/none", kit.Anyone, func(context.Context, kit.Actor, kit.None) (written, error) {
			return written{"{}"}, nil
		}, ""),
		kit.GET("/itself/broken", kit.Anyone, func(context.Context, kit.Actor, kit.None) (written, error) {
			return written{""}, nil
		}, ""),
		kit.GET("/itself/no/object", kit.Anyone,
			func(context.Context, kit.Actor, kit.None) (written, error) { return written{"[1]"}, nil }, ""),
		kit.GET("/unencodable", kit.Anyone, func(context.Context, kit.Actor, kit.None) (map[string]any, error) {
			return map[string]any{"f": func() {}}, nil
		}, ""),
	}
}

func TestParameterSources(t *testing.T) {
	s := serve(t, rows(), unlimited)
	multi := func(fields ...string) (string, map[string]string) {
		var b bytes.Buffer
		w := multipart.NewWriter(&b)
		for i := 0; i < len(fields); i += 2 {
			if err := w.WriteField(fields[i], fields[i+1]); err != nil {
				t.Fatal(err)
			}
		}
		f, err := w.CreateFormFile("file", "a.txt")
		if err == nil {
			_, err = io.WriteString(f, "content")
		}
		if err = errors.Join(err, w.Close()); err != nil {
			t.Fatal(err)
		}
		return b.String(), map[string]string{"Content-Type": w.FormDataContentType()}
	}
	body, header := multi("name", "Ann & Bob", "share", "true")
	want := `{"result":"success","msg":"","got":{"thing_id":5,"name":"Ann \u0026 Bob","share":true}}`
	s.is(s.do("PATCH /api/v1/things/5", callOptions{as: "alice", query: "name=Ann+%26+Bob&share=true"}), 200, want)
	s.is(s.do("PATCH /api/v1/things/5", callOptions{as: "alice", form: "name=Ann+%26+Bob&share=true"}), 200, want)
	s.is(s.do("PATCH /api/v1/things/5", callOptions{as: "alice", form: "name=Ann+%26+Bob", query: "share=true"}), 200,
		want)
	s.is(s.do("PATCH /api/v1/things/5", callOptions{as: "alice", body: body, header: header}), 200, want)
	s.is(s.do("PATCH /api/v1/things/5/", callOptions{as: "alice", body: body, header: header}), 200, want)

	s.is(s.do("PATCH /api/v1/things/5", callOptions{as: "alice", form: "name=a&dont_block=true",
		query: "zz=1&thing_id=9&client=c"}), 200,
		`{"result":"success","msg":"","got":{"thing_id":5,"name":"a","share":null},`+
			`"ignored_parameters_unsupported":["dont_block","thing_id","zz"]}`)
	s.is(s.do("PATCH /api/v1/things/5", callOptions{as: "alice", form: "name=a", query: "name=a"}), 400,
		`{"result":"error","msg":"Argument \"name\" was given more than once.","code":"BAD_REQUEST"}`)
	s.is(s.do("PATCH /api/v1/things/five", callOptions{as: "alice"}), 404,
		`{"result":"error","msg":"Not found","code":"BAD_REQUEST"}`)
	s.is(s.do("GET /api/v1/files/a/b%2Fc%20d", callOptions{as: "alice"}), 200,
		`{"result":"success","msg":"","got":{"path":"a/b/c d"}}`)
	s.is(s.do("GET /api/v1/files/%ff", callOptions{as: "alice"}), 400,
		`{"result":"error","msg":"Argument \"path\" is not valid UTF-8.","code":"BAD_REQUEST"}`)
	s.is(s.do("POST /api/v1/open", callOptions{body: "x",
		header: map[string]string{"Content-Type": "multipart/form-data; boundary=b"}}), 400,
		`{"result":"error","msg":"The request body can't be read.","code":"BAD_REQUEST"}`)
	s.is(s.do("POST /api/v1/open", callOptions{body: `{"name":"x"}`,
		header: map[string]string{"Content-Type": "application/json"}}), 200,
		`{"result":"success","msg":"","got":{"name":"x"}}`)
}

func TestMethodOverride(t *testing.T) {
	s := serve(t, rows(), unlimited)
	want := `{"result":"success","msg":"","got":{"thing_id":5,"name":"x","share":null}}`
	s.is(s.do("POST /api/v1/things/5", callOptions{as: "alice", form: "method=PATCH&name=x"}), 200, want)
	s.is(s.do("POST /api/v1/things/5", callOptions{as: "alice"}), 200, `{"result":"success","msg":"","made":true}`)
	s.is(s.do("POST /api/v1/things/5", callOptions{form: "method=PATCH&name=x"}), 401,
		`{"result":"error","msg":"Not logged in: API authentication or user session required","code":"UNAUTHORIZED"}`)

	only := serve(t, []kit.Endpoint{kit.PATCH("/things/:thing_id", kit.Users, echo[thing], "")}, unlimited)
	only.is(only.do("POST /api/v1/things/5", callOptions{as: "alice", form: "method=patch&name=x"}), 200, want)
	only.is(only.do("POST /api/v1/things/5", callOptions{as: "alice", form: "method=DELETE&name=x"}), 405,
		`{"result":"error","msg":"Method Not Allowed","code":"METHOD_NOT_ALLOWED","allowed_methods":["PATCH"]}`)
	only.is(only.do("POST /api/v1/things/5", callOptions{form: "method=PATCH"}), 401,
		`{"result":"error","msg":"Not logged in: API authentication or user session required","code":"UNAUTHORIZED"}`)
}

// written is a response that encodes itself.
type written struct{ text string }

func (i written) Size() int { return len(i.text) }

func (i written) AppendJSON(b []byte) ([]byte, error) {
	if i.text == "" {
		return nil, errors.New("nothing to write")
	}
	return append(b, i.text...), nil
}

func TestErrors(t *testing.T) {
	s := serve(t, rows(), unlimited)
	for _, c := range []struct {
		call   string
		status int
		body   string
	}{
		{"GET /api/v1/bad", 400, `{"result":"error","msg":"Bad event queue ID: q","code":"BAD_EVENT_QUEUE_ID",` +
			`"queue_id":"q"}`},
		{"GET /api/v1/conflict", 409, `{"result":"error","msg":"x","code":"CHANNEL_ALREADY_EXISTS","channel_name":"y"}`},
		{"GET /api/v1/missing", 404, `{"result":"error","msg":"No such thing","code":"NOT_FOUND"}`},
		{"GET /api/v1/broken", 500, `{"result":"error","msg":"Internal server error","code":"INTERNAL_SERVER_ERROR"}`},
		{"GET /api/v1/unencodable", 500, `{"result":"error","msg":"Internal server error","code":"INTERNAL_SERVER_ERROR"}`},
		{"GET /api/v1/panic", 500, `{"result":"error","msg":"Internal server error","code":"INTERNAL_SERVER_ERROR"}`},
		{"GET /api/v1/down", 503, `{"result":"error","msg":"Try again","code":"SERVICE_UNAVAILABLE"}`},
		{"GET /api/v1/slow", 503, `{"result":"error","msg":"The request took too long to process; please try again.",` +
			`"code":"SERVICE_UNAVAILABLE"}`},
		{"GET /api/v1/nowhere", 404, `{"result":"error","msg":"Not found","code":"BAD_REQUEST"}`},
		{"GET /nowhere", 404, `{"result":"error","msg":"Not found","code":"BAD_REQUEST"}`},
		{"GET /json/open", 404, `{"result":"error","msg":"Not found","code":"BAD_REQUEST"}`},
		{"DELETE /api/v1/things/5", 405, `{"result":"error","msg":"Method Not Allowed","code":"METHOD_NOT_ALLOWED",` +
			`"allowed_methods":["GET","HEAD","PATCH","POST"]}`},
		{"POST /api/v1/broken", 405, `{"result":"error","msg":"Method Not Allowed","code":"METHOD_NOT_ALLOWED",` +
			`"allowed_methods":["GET","HEAD"]}`},
		{"OPTIONS /api/v1/nowhere", 404, `{"result":"error","msg":"Not found","code":"BAD_REQUEST"}`},
		{"OPTIONS /api/v1/open", 204, ``},
		{"HEAD /api/v1/open", 200, ``},
		{"GET /api/v1/empty", 200, `{"result":"success","msg":""}`},
		{"GET /api/v1/html", 200, `{"result":"success","msg":"","a":"<b>&"}`},
		{"GET /api/v1/itself", 200, `{"result":"success","msg":"","b":"<b>"}`},
		{"GET /api/v1/itself/empty", 200, `{"result":"success","msg":""}`},
		{"GET /api/v1/itself/none", 200, `{"result":"success","msg":""}`},
		{"GET /api/v1/itself/broken", 500, `{"result":"error","msg":"Internal server error","code":"INTERNAL_SERVER_ERROR"}`},
		{"GET /api/v1/itself/no/object", 500, `{"result":"error","msg":"Internal server error",` +
			`"code":"INTERNAL_SERVER_ERROR"}`},
	} {
		got := s.do(c.call, callOptions{})
		if got.status != c.status || got.body != c.body {
			t.Errorf("%s\ngot  %d %s\nwant %d %s", c.call, got.status, got.body, c.status, c.body)
		}
		if strings.Contains(c.call, "/api/") {
			for k, v := range map[string]string{
				"Access-Control-Allow-Origin": "*", "Access-Control-Allow-Headers": "Authorization",
				"Access-Control-Allow-Methods": "GET, POST, DELETE, PUT, PATCH, HEAD",
				"Cache-Control":                "max-age=0, no-cache, no-store, must-revalidate, private",
			} {
				if got.header.Get(k) != v {
					t.Errorf("%s: %s is %q", c.call, k, got.header.Get(k))
				}
			}
		}
		if got.header.Get("X-Request-Id") == "" {
			t.Errorf("%s: no request id", c.call)
		}
		if c.status == 503 && got.header.Get("Retry-After") == "" {
			t.Errorf("%s: no Retry-After", c.call)
		}
		if c.status >= 500 && !strings.Contains(s.log.String(), "request="+got.header.Get("X-Request-Id")) {
			t.Errorf("%s: the answer's request id is missing from the log", c.call)
		}
	}
	if got := s.do("OPTIONS /api/v1/things/5", callOptions{}).header.Get("Allow"); got != "GET, HEAD, PATCH, POST" {
		t.Errorf("Allow: %q", got)
	}
	for _, cause := range []string{"disk on fire", "sector 8", "no database"} {
		if !strings.Contains(s.log.String(), cause) {
			t.Errorf("the cause %q is missing from the log", cause)
		}
	}
	s.do("GET /api/v1/open", callOptions{query: "secret=1", as: "alice"})
	if strings.Contains(s.log.String(), "secret") || strings.Contains(s.log.String(), "QGV4YW1wbGU") {
		t.Error("the log contains queries or keys")
	}
}

func TestDatabaseDown(t *testing.T) {
	s := serve(t, rows(), unlimited)
	s.mu.Lock()
	s.down = true
	s.mu.Unlock()
	got := s.do("GET /api/v1/things/5", callOptions{as: "alice"})
	s.is(got, 503, `{"result":"error","msg":"The database can't be reached.","code":"SERVICE_UNAVAILABLE"}`)
	if got.header.Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
	s.mu.Lock()
	s.down = false
	s.mu.Unlock()
	if got := s.do("GET /api/v1/things/5", callOptions{as: "alice"}); got.status != 200 {
		t.Errorf("after reactivation: %d %s", got.status, got.body)
	}
}

// Facts that arrive after credentials were refused, but before the refusal is verified, count.
func TestCredentialsArriveWhileTheyAreRefused(t *testing.T) {
	s := serve(t, []kit.Endpoint{kit.GET("/whoami", kit.Users, whoami, "")})
	s.refused = func() {
		s.refused = nil
		fresh := &user.User{ID: 99, DeliveryEmail: "fresh@example.com", FullName: "fresh", Role: user.Member, Active: true,
			Keys: []user.KeyHash{keyHash("fresh")}}
		s.view = s.view.Apply(8, directory.OfUser(nil, fresh))
		s.newest = s.view
	}
	if got := s.do("GET /api/v1/whoami", callOptions{as: "fresh"}); got.status != 200 {
		t.Errorf("status %d: %s", got.status, got.body)
	}
}

// A refusal based on outdated facts is retried once; one based on the newest facts is not.
func TestRefusalIsVerified(t *testing.T) {
	calls := 0
	refuse := func(context.Context, kit.Actor, kit.None) (kit.None, error) {
		if calls++; calls == 1 {
			return kit.None{}, errs.Bad("Invalid channel ID")
		}
		return kit.None{}, nil
	}
	s := serve(t, []kit.Endpoint{
		kit.GET("/refuse", kit.Users, refuse, ""),
		kit.GET("/owners", kit.Owners, whoami, ""),
		kit.POST("/bound", kit.Users, echo[named], ""),
	}, unlimited)

	s.is(s.do("GET /api/v1/refuse", callOptions{as: "alice"}), 400,
		`{"result":"error","msg":"Invalid channel ID","code":"BAD_REQUEST"}`)
	if calls != 1 || s.verified != 1 {
		t.Errorf("with unchanged facts: %d calls, verified %d times", calls, s.verified)
	}
	calls = 0
	promoted := *s.view.User(alice)
	promoted.Role = user.Owner
	s.newest = s.view.Apply(8, directory.OfUser(s.view.User(alice), &promoted))
	s.is(s.do("GET /api/v1/refuse", callOptions{as: "alice"}), 200, `{"result":"success","msg":""}`)
	if calls != 2 {
		t.Errorf("%d calls", calls)
	}
	if got := s.do("GET /api/v1/owners", callOptions{as: "alice"}); got.status != 200 ||
		!strings.Contains(got.body, `"role":100`) {
		t.Errorf("access was not checked again: %d %s", got.status, got.body)
	}
	deactivated := promoted
	deactivated.Active = false
	calls = 0
	s.view = s.newest.Apply(9, directory.OfUser(&promoted, &deactivated)) // after the login, on another node
	s.newest = s.view
	s.is(s.do("GET /api/v1/refuse", callOptions{as: "alice"}), 401,
		`{"result":"error","msg":"Account is deactivated","code":"UNAUTHORIZED"}`)
	before := s.verified
	s.do("POST /api/v1/bound", callOptions{as: "alice"})
	if s.verified != before {
		t.Error("a missing parameter caused a verification")
	}
}

func TestNewRefuses(t *testing.T) {
	w := newFakes()
	for _, c := range []struct {
		rows []kit.Endpoint
		addr string
		want string
	}{
		{[]kit.Endpoint{kit.GET("/y", kit.Users, echo[struct{ A int }], "")}, "", "A: has no json tag"},
		{[]kit.Endpoint{kit.GET("/y", kit.Users, func(context.Context, kit.Actor, kit.None) (int, error) { return 0, nil },
			"")}, "", "int must be a struct or a map"},
		{[]kit.Endpoint{kit.GET("/dev", kit.Anyone, whoami, "").Local()}, ":9991",
			"module test is for development only, and http.addr :9991 can be reached"},
		{nil, "nonsense", `addr: "nonsense" is not host:port`},
	} {
		cfg := Defaults()
		if c.addr != "" {
			cfg.Addr = c.addr
		}
		_, err := New(cfg, Deps{Collected: collected(c.rows...), Clock: w})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v\nwant %s", err, c.want)
		}
	}
	for _, addr := range []string{"127.0.0.1:0", "localhost:80", "[::1]:80", "127.1.2.3:1"} {
		cfg := Defaults()
		cfg.Addr = addr
		if _, err := New(cfg, Deps{Collected: collected(kit.GET("/dev", kit.Anyone, whoami, "").Local()),
			Clock: w}); err != nil {
			t.Errorf("%s: %v", addr, err)
		}
	}
}

func TestLocalRowsAreNotShared(t *testing.T) {
	page := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("in")) })
	s := serve(t, []kit.Endpoint{kit.GET("/dev", kit.Anyone, whoami, "").Local(),
		kit.Mount("/login", kit.Anyone, page, "").Local()}, unlimited)
	if got := s.do("POST /login", callOptions{}); got.status != 200 {
		t.Errorf("a page: %d %s", got.status, got.body)
	}
	got := s.do("GET /api/v1/dev", callOptions{})
	if got.status != 200 || got.header.Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("%d, CORS %q", got.status, got.header.Get("Access-Control-Allow-Origin"))
	}
	// Behind a proxy, all requests appear to be local.
	for _, header := range []string{"X-Forwarded-For", "Forwarded", "X-Real-IP"} {
		if got := s.do("GET /api/v1/dev", callOptions{header: map[string]string{header: "192.0.2.1"}}); got.status != 400 {
			t.Errorf("with %s: %d", header, got.status)
		}
		s.is(s.do("POST /login", callOptions{header: map[string]string{header: "192.0.2.1"}}), 400,
			`{"result":"error","msg":"This endpoint is for development only and not available through a proxy.",`+
				`"code":"BAD_REQUEST"}`)
	}
	cfg := Defaults()
	cfg.TrustedProxies = []string{"127.0.0.1"}
	_, err := New(cfg, Deps{Collected: collected(kit.GET("/dev", kit.Anyone, whoami, "").Local()), Clock: newFakes()})
	if err == nil || !strings.Contains(err.Error(), "http.trusted_proxies makes the server public") {
		t.Errorf("with a trusted proxy: %v", err)
	}
}
