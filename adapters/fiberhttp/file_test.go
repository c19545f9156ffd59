package fiberhttp

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/modules/kit"
)

type pictured struct {
	Night bool     `json:"night" default:"false"`
	Icon  kit.File `file:"icon"`
}

type attached struct {
	Note *string   `json:"note"`
	File *kit.File `json:"-"`
}

// digest responds with a summary of the file.
func digest(note string, f *kit.File) (map[string]any, error) {
	if f == nil {
		return map[string]any{"note": note, "none": true}, nil
	}
	h := sha256.New()
	n, err := io.Copy(h, f)
	if err != nil {
		return nil, err
	}
	return map[string]any{"note": note, "name": f.Name, "type": f.Type, "size": n,
		"sum": fmt.Sprintf("%x", h.Sum(nil)[:4])}, nil
}

func summary(note, name, kind, content string) string {
	sum := sha256.Sum256([]byte(content))
	return fmt.Sprintf(`{"result":"success","msg":"","name":%q,"note":%q,"size":%d,"sum":"%x","type":%q}`, name, note,
		len(content), sum[:4], kind)
}

const large = kit.MaxBufferedFile + 1

func fileRows() []kit.Endpoint {
	return []kit.Endpoint{
		kit.POST("/icon", kit.Members, func(_ context.Context, _ kit.Actor, in pictured) (map[string]any, error) {
			return digest(fmt.Sprint(in.Night), &in.Icon)
		}, "").Upload(1 << 20),
		kit.POST("/attach", kit.Users, func(_ context.Context, _ kit.Actor, in attached) (map[string]any, error) {
			note := ""
			if in.Note != nil {
				note = *in.Note
			}
			return digest(note, in.File)
		}, "").Upload(large),
		kit.GET("/last", kit.Anyone, echo[kit.None], ""),
	}
}

// multi returns a multipart form with fields, and with a file for each name that begins with @.
func multi(parts ...string) (body, contentType string) {
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for i := 0; i < len(parts); i += 2 {
		if name, ok := strings.CutPrefix(parts[i], "@"); ok {
			p, _ := w.CreateFormFile("file", name)
			_, _ = io.WriteString(p, parts[i+1])
		} else {
			_ = w.WriteField(parts[i], parts[i+1])
		}
	}
	_ = w.Close()
	return b.String(), w.FormDataContentType()
}

func TestFile(t *testing.T) {
	s := serve(t, fileRows(), unlimited)
	post := func(path, who string, parts ...string) answer {
		t.Helper()
		body, kind := multi(parts...)
		return s.do("POST /api/v1"+path, callOptions{as: who, body: body, header: map[string]string{"Content-Type": kind}})
	}
	refusal := func(msg string) string { return `{"result":"error","msg":"` + msg + `","code":"BAD_REQUEST"}` }
	const octets = "application/octet-stream"
	mib := strings.Repeat("x", 1<<20)

	// A small file may be anywhere among the parameters.
	s.is(post("/icon", "alice", "@a b.png", "content", "night", "true"), 200,
		summary("true", "a b.png", octets, "content"))
	s.is(post("/icon", "alice", "night", "true", "@../../x.png", mib), 200, summary("true", "x.png", octets, mib))
	s.is(post("/icon", "alice", "@x", ""), 200, summary("false", "x", octets, ""))
	s.is(post("/icon", "alice", "night", "true"), 400, refusal("You must specify a file to upload"))
	s.is(post("/icon", "alice", "@a", "1", "@b", "2"), 400, refusal("You must upload exactly one icon."))
	s.is(post("/icon", "alice", "@a", mib+"y"), 400, refusal("Uploaded file is larger than the allowed limit of 1 MiB"))
	s.is(post("/icon", "alice", "@a", mib+mib), 400, refusal("Uploaded file is larger than the allowed limit of 1 MiB"))
	s.is(post("/icon", "alice", "@a", "1", "night", "x"), 400,
		`{"result":"error","msg":"Argument \"night\" is not valid JSON.","code":"BAD_REQUEST"}`)
	s.is(post("/icon", "gus", "@a", "1"), 400, refusal("Not allowed for guest users"))
	s.is(post("/icon", "", "@a", mib), 401,
		`{"result":"error","msg":"Not logged in: API authentication or user session required","code":"UNAUTHORIZED"}`)
	s.is(s.do("POST /api/v1/icon", callOptions{as: "alice", form: "night=true"}), 400,
		refusal("You must specify a file to upload"))
	body, kind := multi("@a", "content")
	s.is(s.do("POST /api/v1/icon", callOptions{as: "alice", body: body[:len(body)-20],
		header: map[string]string{"Content-Type": kind}}), 400, refusal("The request body can't be read."))

	// A large file is read by the use case, and must be last.
	most := strings.Repeat("y", large)
	s.is(post("/attach", "alice", "note", "n", "@a", most), 200, summary("n", "a", octets, most))
	s.is(post("/attach", "alice", "note", "n"), 200, `{"result":"success","msg":"","none":true,"note":"n"}`)
	s.is(post("/attach", "alice", "@a", "x", "@b", "y"), 400, refusal("You must upload exactly one file."))
	s.is(post("/attach", "alice", "@a", "x", "note", "n"), 400, refusal("Parameters must come before the file."))
	s.is(post("/attach", "alice", "@a", most+"z"), 400, refusal("Uploaded file is larger than the allowed limit of 8 MiB"))
	s.is(post("/attach", "alice", "@a", most+mib), 400, refusal("Uploaded file is larger than the allowed limit of 8 MiB"))
	body, kind = multi("@a", "content")
	s.is(s.do("POST /api/v1/attach", callOptions{as: "alice", body: body[:len(body)-20],
		header: map[string]string{"Content-Type": kind}}), 400, refusal("The request body can't be read."))
}

// The part of a file that a use case has not read is not parsed as a request.
func TestUnreadFile(t *testing.T) {
	rows := append(fileRows(), kit.POST("/early", kit.Users,
		func(_ context.Context, _ kit.Actor, in attached) (kit.None, error) {
			_, err := io.ReadFull(in.File, make([]byte, 10))
			if err == nil {
				err = errs.Bad("Enough.")
			}
			return kit.None{}, err
		}, "").Upload(large))
	s := serve(t, rows, unlimited)
	const login = "\r\nAuthorization: Basic YWxpY2VAZXhhbXBsZS5jb206YWxpY2U="
	for _, size := range []int{9000, 200 << 10, 1 << 20} {
		content, kind := multi("@a", strings.Repeat("x", size)+smuggled)
		for _, c := range []struct {
			path, login string
			status      int
		}{{"/early", login, 400}, {"/attach", "", 401}, {"/icon", "", 401}} {
			conn, r := s.dial()
			go func() {
				_, _ = fmt.Fprintf(conn, "POST /api/v1%s HTTP/1.1\r\nHost: x%s\r\nContent-Type: %s\r\nContent-Length: "+
					"%d\r\n\r\n%s%s", c.path, c.login, kind, len(content), content, last)
			}()
			var got []int
			for {
				res, err := http.ReadResponse(r, nil)
				if err != nil {
					break
				}
				got = append(got, res.StatusCode)
				_, _ = io.Copy(io.Discard, res.Body)
			}
			if len(got) == 0 || got[0] != c.status || len(got) > 2 || len(got) == 2 && got[1] != 200 {
				t.Errorf("%s after %d bytes: %v", c.path, size, got)
			}
		}
	}
}

// A refusal based on old facts is retried with new ones, and with the file if it can still be read.
func TestFileIsRetried(t *testing.T) {
	asked := 0
	moved := func(_ context.Context, _ kit.Actor, f *kit.File) (map[string]any, error) {
		asked++
		res, err := digest("", f)
		if asked == 1 {
			return nil, errs.Bad("No.")
		}
		return res, err
	}
	s := serve(t, []kit.Endpoint{
		kit.POST("/held", kit.Users, func(ctx context.Context, a kit.Actor, in pictured) (map[string]any, error) {
			return moved(ctx, a, &in.Icon)
		}, "").Upload(1000),
		kit.POST("/streamed", kit.Users, func(ctx context.Context, a kit.Actor, in attached) (map[string]any, error) {
			return moved(ctx, a, in.File)
		}, "").Upload(large),
	}, unlimited)
	var b directory.Builder
	b.Realm(s.view.Realm())
	b.User(s.view.User(alice))
	s.newest = b.View(9)
	body, kind := multi("@a", "content")
	post := func(path string) answer {
		asked = 0
		return s.do("POST /api/v1"+path, callOptions{as: "alice", body: body,
			header: map[string]string{"Content-Type": kind}})
	}
	s.is(post("/held"), 200, summary("", "a", "application/octet-stream", "content"))
	if asked != 2 {
		t.Errorf("asked %d times", asked)
	}
	s.is(post("/streamed"), 400, `{"result":"error","msg":"No.","code":"BAD_REQUEST"}`)
	if asked != 1 {
		t.Errorf("asked %d times", asked)
	}
}

func TestFileNeedsLimit(t *testing.T) {
	w := newFakes()
	for _, r := range []kit.Endpoint{kit.POST("/x", kit.Users, echo[pictured], ""),
		kit.POST("/x", kit.Users, echo[kit.None], "").Upload(9)} {
		if _, err := New(Defaults(), Deps{Collected: collected(r), Directory: w, Realms: w, Authenticator: w,
			Clock: w}); err == nil || !strings.Contains(err.Error(), "vice versa") {
			t.Error(err)
		}
	}
}

// Rows at the root accept both API keys and sessions, and may redirect.
func TestRoot(t *testing.T) {
	type who struct {
		Name string `json:"name"`
	}
	to := func(_ context.Context, a kit.Actor, in who) (kit.Redirect, error) {
		if in.Name == "nobody" {
			return kit.Redirect{}, errs.New(errs.NotFound, "No.")
		}
		return kit.Redirect{To: fmt.Sprintf("/%s/%d?v=1", in.Name, a.User), Query: in.Name == "query"}, nil
	}
	rows := []kit.Endpoint{
		kit.GET("/picture/:name", kit.Users, to, "").AtRoot().Rate(kit.RateFiles),
		kit.GET("/picture/:name", kit.Users, to, ""),
	}
	s := serve(t, rows, withSessions, withConfig(func(c *Config) { c.RateLimits.PerUser, c.RateLimits.PerAddress = 3, 3 }))
	s.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	leads := func(a answer, where string) {
		t.Helper()
		if a.status != 302 || a.header.Get("Location") != where || a.body != "" {
			t.Errorf("%d to %q, want %q: %s", a.status, a.header.Get("Location"), where, a.body)
		}
	}
	for range 5 { // more than the limit
		leads(s.do("GET /picture/x", callOptions{as: "alice", query: "a=1&b=2"}), "/x/10?v=1")
	}
	leads(s.do("GET /picture/query", callOptions{as: "alice", query: "a=1&b=%0d%0aX:2"}), "/query/10?v=1&a=1&b=%0d%0aX:2")
	leads(s.do("GET /picture/query", callOptions{header: map[string]string{"Cookie": "sessionid=olga"}}), "/query/11?v=1")
	leads(s.do("HEAD /picture/x", callOptions{as: "alice"}), "/x/10?v=1")
	leads(s.do("GET /api/v1/picture/x", callOptions{as: "alice"}), "/x/10?v=1")
	s.is(s.do("GET /picture/nobody", callOptions{as: "alice"}), 404, `{"result":"error","msg":"No.","code":"NOT_FOUND"}`)
	for _, r := range []callOptions{{}, {header: map[string]string{"Cookie": "sessionid=mallory"}},
		{header: map[string]string{"Cookie": "sessionid=olga", "Authorization": "Basic x"}}} {
		if got := s.do("GET /picture/x", r); got.status != 401 {
			t.Errorf("%+v: %d %s", r, got.status, got.body)
		}
	}
	s.is(s.do("POST /picture/x", callOptions{as: "alice"}), 405,
		`{"result":"error","msg":"Method Not Allowed","code":"METHOD_NOT_ALLOWED","allowed_methods":["GET","HEAD"]}`)
	if got := s.do("GET /picture", callOptions{as: "alice"}); got.status != 404 {
		t.Errorf("%d %s", got.status, got.body)
	}
}
