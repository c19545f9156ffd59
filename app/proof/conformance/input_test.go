package conformance_test

import (
	"bytes"
	"fmt"
	"mime/multipart"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/app/proof/internal/harness"
)

// TestBadInputChangesNothing checks that invalid input gets the documented error and changes nothing.
func TestBadInputChangesNothing(t *testing.T) {
	s := startAll(t)
	alice, bob := s.As("alice"), s.As("bob")
	secret := fmt.Sprint(s.As("olga").Do("POST /messages", "type", "channel", "to", `"secret"`, "topic", "t", "content",
		"hidden").Get("id"))
	theirs := fmt.Sprint(bob.Do("POST /register", "event_types", `["message"]`).Get("queue_id"))
	mine := alice.Do("POST /register", "event_types", `["message"]`)
	queue := fmt.Sprint(mine.Get("queue_id"))
	general := fmt.Sprint(s.ChannelID("general"))
	s.Skip()
	send := func(kv ...string) *kittest.Response {
		return alice.Do("POST /messages", append([]string{"type", "channel", "to", general, "topic", "t"}, kv...)...)
	}
	var many strings.Builder
	for i := range 100_000 {
		fmt.Fprintf(&many, ",%d", i+1)
	}
	for _, c := range []struct {
		name   string
		got    func() *kittest.Response
		status int
		code   string
		msg    string
	}{
		{"unknown channel", func() *kittest.Response {
			return alice.Do("POST /messages", "type", "channel", "to", `"nowhere"`, "topic", "t", "content", "x")
		}, 400, "STREAM_DOES_NOT_EXIST", "nowhere"},
		{"unknown channel id", func() *kittest.Response {
			return alice.Do("POST /messages", "type", "channel", "to", "999999", "topic", "t", "content", "x")
		}, 400, "STREAM_DOES_NOT_EXIST", "999999"},
		{"a message of others", func() *kittest.Response { return bob.Do("GET /messages/" + secret) }, 400, "BAD_REQUEST",
			"Invalid message(s)"},
		{"a message that is not there", func() *kittest.Response { return bob.Do("GET /messages/999999") }, 400,
			"BAD_REQUEST",
			"Invalid message(s)"},
		{"a flag on a message of others", func() *kittest.Response {
			return bob.Do("POST /messages/flags", "messages", "["+secret+"]", "op", "add", "flag", "starred")
		}, 400, "BAD_REQUEST", "Invalid message(s)"},
		{"a hundred thousand recipients", func() *kittest.Response {
			return alice.Do("POST /messages", "type", "direct", "to", "["+many.String()[1:]+"]", "content", "x")
		}, 0, "", ""},
		{"invalid UTF-8", func() *kittest.Response { return send("content", "a\xff\xfeb") }, 400, "BAD_REQUEST", ""},
		{"NUL", func() *kittest.Response { return send("content", "a\x00b") }, 400, "BAD_REQUEST", "null"},
		{"a rendering over its limit", func() *kittest.Response { return send("content", strings.Repeat("@_**all** ", 999)) },
			0, "", ""},
		{"deeply nested JSON", func() *kittest.Response {
			return alice.Do("GET /messages", "anchor", "newest", "num_before", "1", "num_after", "0", "narrow",
				strings.Repeat("[", 5000))
		}, 400, "BAD_REQUEST", ""},
		{"two values for one parameter", func() *kittest.Response { return send("content", "a", "content", "b") },
			400, "", ""},
		{"both names of one parameter", func() *kittest.Response { return send("subject", "u", "content", "b") }, 400,
			"REQUEST_CONFUSING_VAR", ""},
		{"a missing parameter", func() *kittest.Response { return send() }, 400, "REQUEST_VARIABLE_MISSING", "content"},
		{"a wrong key", func() *kittest.Response {
			return s.WithKey(alice.Email(), strings.Repeat("x", 32)).Do("GET /users/me")
		}, 401, "UNAUTHORIZED", ""},
		{"no key", func() *kittest.Response { return s.Anonymous().Do("GET /users/me") }, 401, "UNAUTHORIZED", ""},
		{"the queue of another", func() *kittest.Response {
			return alice.Do("GET /events", "queue_id", theirs, "last_event_id", "-1")
		}, 400, "BAD_EVENT_QUEUE_ID", theirs},
		{"a queue that is not there", func() *kittest.Response {
			return alice.Do("GET /events", "queue_id", "00000000-0000-0000-0000-000000000000", "last_event_id", "-1")
		}, 400, "BAD_EVENT_QUEUE_ID", ""},
		{"an event from the future", func() *kittest.Response {
			return alice.Do("GET /events", "queue_id", queue, "last_event_id", "4503599627370496", "dont_block", "true")
		}, 400, "BAD_REQUEST", ""},
		{"a body over the limit", func() *kittest.Response { return send("content", strings.Repeat("x", 5<<20)) },
			413, "", ""},
		{"an unknown path", func() *kittest.Response { return alice.Do("GET /nothing") }, 404, "BAD_REQUEST", "Not found"},
		{"an unknown method", func() *kittest.Response { return alice.Do("DELETE /users") }, 405, "METHOD_NOT_ALLOWED",
			"Method Not Allowed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := c.got()
			if c.status != 0 && got.Status != c.status {
				t.Errorf("status %d, want %d: %.300s", got.Status, c.status, got.Body)
			}
			if got.Status == 500 || c.status == 0 && got.Status/100 != 4 && c.name != "a rendering over its limit" {
				t.Errorf("status %d: %.300s", got.Status, got.Body)
			}
			if c.code != "" && got.Get("code") != c.code {
				t.Errorf("code %v, want %s: %.300s", got.Get("code"), c.code, got.Body)
			}
			if !strings.Contains(got.Body, c.msg) {
				t.Errorf("%.300s does not contain %q", got.Body, c.msg)
			}
			if c.name == "a rendering over its limit" {
				s.Skip()
				return
			}
			s.In(t).NoEvents()
		})
	}
}

// TestWrongTypes checks that every parameter of every route refuses a value of the wrong JSON type. The response has
// status 400 and names the parameter, and nothing has changed.
func TestWrongTypes(t *testing.T) {
	harness.SQLiteSuffices(t, "parameters are parsed before the database is used")
	s := startAll(t)
	olga := s.As("olga")
	tried := 0
	for _, e := range s.Ports.Collected.Endpoints {
		if e.Call == nil || e.Req.Kind() != reflect.Struct {
			continue
		}
		for f := range e.Req.Fields() {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			typ := f.Type
			for typ.Kind() == reflect.Pointer {
				typ = typ.Elem()
			}
			wrong := ""
			switch typ.Kind() {
			case reflect.Int, reflect.Int64, reflect.Bool, reflect.Float64:
				wrong = `"x"`
			case reflect.Slice, reflect.Map:
				wrong = `7`
			}
			if wrong == "" || strings.Contains(e.Path, ":"+name) || reflect.PointerTo(typ).NumMethod() > 0 {
				continue
			}
			path := e.Path
			for part := range strings.SplitSeq(e.Path, "/") {
				if strings.HasPrefix(part, ":") {
					path = strings.Replace(path, part, "1", 1)
				}
			}
			for _, value := range []string{wrong, "{", strings.Repeat("[", 200)} {
				var body bytes.Buffer
				form := multipart.NewWriter(&body)
				_ = form.WriteField(name, value)
				_ = form.Close()
				call, kind := e.Method+" "+path, form.FormDataContentType()
				got := olga.Send(call, kind, &body)
				tried++
				if got.Status != 400 || got.Get("result") != "error" {
					t.Errorf("%s with %s=%.20s: %d %.200s", call, name, value, got.Status, got.Body)
				}
			}
		}
	}
	if tried < 300 {
		t.Errorf("only %d values were tried: the routes were not covered", tried)
	}
	s.NoEvents()
}

// TestNUL checks that every text parameter refuses the character NUL, which databases do not accept, or matches
// nothing. It never causes an internal error.
func TestNUL(t *testing.T) {
	s := startAll(t)
	olga := s.As("olga")
	tried := 0
	try := func(call string, params ...string) {
		t.Helper()
		tried++
		if got := olga.Do(call, params...); got.Status >= 500 {
			t.Errorf("%s %q: %d %.200s", call, params, got.Status, got.Body)
		}
	}
	good := map[string]string{
		"url_template": "https://x.org/{code}", "pattern": "b(?P<code>.)", "example_input": "bx",
		"reverse_template": "b{code}", "type": "channel", "op": "add",
		"anchor": "newest", "flag": "read", "report_type": "other", "field_type": "1", "invite_as": "400", "role": "400",
	}
	value := func(name, other string) string {
		if v, ok := good[name]; ok {
			return v
		}
		return other
	}
	for _, e := range s.Ports.Collected.Endpoints {
		if e.Call == nil || e.Req.Kind() != reflect.Struct {
			continue
		}
		var texts, params []string
		path := e.Path
		for _, f := range reflect.VisibleFields(e.Req) {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			typ := f.Type
			for typ.Kind() == reflect.Pointer {
				typ = typ.Elem()
			}
			inPath := strings.Contains(path, ":"+name)
			path = strings.Replace(path, ":"+name, "1", 1)
			switch {
			case inPath || name == "" || f.Anonymous:
			case typ.Kind() == reflect.String:
				texts, params = append(texts, name), append(params, name, value(name, "x"))
			case strings.HasSuffix(name, "_ids"):
				params = append(params, name, "[]")
			case typ.Kind() == reflect.Slice && f.Type.Kind() == reflect.Slice:
				params = append(params, name, `["a\u0000b"]`)
			case typ.Kind() == reflect.Int64 || typ.Kind() == reflect.Int:
				params = append(params, name, value(name, "1"))
			}
		}
		for _, name := range texts {
			now := slices.Clone(params)
			now[slices.Index(now, name)+1] += "\x00b"
			try(e.Method+" "+path, now...)
		}
	}
	for _, operator := range []string{"topic", "sender", "search", "channel", "dm", "id", "is", "has"} {
		try("GET /messages", "anchor", "newest", "num_before", "1", "num_after", "1", "narrow",
			`[["`+operator+`","a\u0000b"]]`)
	}
	try("GET /users/a%00b@example.com")
	try("DELETE /realm/emoji/a%00b")
	if tried < 150 {
		t.Errorf("only %d values were tried: the routes were not covered", tried)
	}
}
