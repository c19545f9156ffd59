package leftout_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stoachat/stoa/app"
	"github.com/stoachat/stoa/app/internal/config"
	"github.com/stoachat/stoa/app/internal/server"
	"github.com/stoachat/stoa/app/kittest/testrun"
	"github.com/stoachat/stoa/configs"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/standard"
)

// inConfig matches a module in the standard configuration.
var inConfig = regexp.MustCompile(`(?m)^  ([a-z]+): \{\}\n`)

// TestEachModuleCanBeLeftOut leaves out each module and its dependents. Without the dependents, the server must refuse
// with both remedies. With them, it must start on an empty database and on one that has their tables; their routes must
// be gone, no other may fail, and users must be able to send messages if that module remains.
func TestEachModuleCanBeLeftOut(t *testing.T) {
	testrun.Unraced(t, "its requests are sequential")
	var names []string
	for _, m := range inConfig.FindAllStringSubmatch(configs.Local(), -1) {
		names = append(names, m[1])
	}
	if len(names) < 30 {
		t.Fatalf("only %d modules found", len(names))
	}
	dir := t.TempDir()
	owner, routes := found(t, dir)
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			own := t.TempDir()
			if err := os.CopyFS(own, os.DirFS(dir)); err != nil {
				t.Fatal(err)
			}
			p, left := without(t, own, name)
			if p == nil { // the server itself requires the module, as its error says
				return
			}
			defer p.stop(t)
			empty, err := start(t, t.TempDir(), only(left))
			if err != nil {
				t.Fatal("on an empty database:", err)
			}
			empty.stop(t)
			p.owner = owner
			p.gone(t, routes, left)
			p.names(t, left)
			p.talk(t, left)
			p.walk(t)
			p.work(t)
		})
	}
}

// The page of the client is that of the module homepage.
func TestWebClientNeedsHomePage(t *testing.T) {
	_, err := start(t, t.TempDir(), strings.Replace(configs.Local(), "  homepage: {}\n", "", 1))
	if want := "modules.web: needs the module homepage; add modules: {homepage: {}}, or remove it"; err == nil ||
		!strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %q", err, want)
	}
}

// partial is a server with only some of the modules.
type partial struct {
	*app.Server
	owner  server.CreatedRealm
	client *http.Client
}

func start(t *testing.T, dir, text string) (*partial, error) {
	t.Helper()
	s, err := app.New(t.Context(), app.Options{
		ConfigText: text, Log: slog.New(slog.DiscardHandler), ManualJobs: true,
		Set:     map[string]string{"http.addr": "127.0.0.1:0", "data_dir": dir},
		Environ: []string{"STOA_HTTP_RATE_LIMITS_ENABLED=false"},
	}, standard.Modules()...)
	if err != nil {
		return nil, err
	}
	if err := s.Serve(t.Context()); err != nil {
		return nil, errors.Join(err, s.Stop(context.WithoutCancel(t.Context())))
	}
	client := &http.Client{
		Timeout: testrun.Patience, Transport: &http.Transport{},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return &partial{Server: s, client: client}, nil
}

func (p *partial) stop(t *testing.T) {
	t.Helper()
	p.client.CloseIdleConnections()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), testrun.Patience)
	defer cancel()
	if err := p.Stop(ctx); err != nil {
		t.Error(err)
	}
}

// found creates a realm with all modules, its owner and a channel with a message. It also returns all modules' parts.
func found(t *testing.T, dir string) (server.CreatedRealm, []kit.Contribution) {
	t.Helper()
	p, err := start(t, dir, configs.Local())
	if err != nil {
		t.Fatal(err)
	}
	defer p.stop(t)
	p.owner, err = p.Ports.CreateFirstRealm(t.Context(), server.NewRealm{
		Name: "Proof", OwnerEmail: "owner@example.com", OwnerName: "Owner", OwnerPassword: "correct-horse-battery",
	})
	if err != nil {
		t.Fatal(err)
	}
	p.must(t, "POST", "/users/me/subscriptions", url.Values{"subscriptions": {`[{"name":"proof"}]`}})
	p.talk(t, []string{"channels", "messages", "events"})
	return p.owner, p.Modules().Modules
}

// only returns the standard configuration with the named modules only.
func only(names []string) string {
	return inConfig.ReplaceAllStringFunc(configs.Local(), func(line string) string {
		if slices.Contains(names, inConfig.FindStringSubmatch(line)[1]) {
			return line
		}
		return ""
	})
}

// gone checks that the routes of the modules that are left out respond with 404, unless others have the same path.
func (p *partial) gone(t *testing.T, all []kit.Contribution, left []string) {
	t.Helper()
	for _, m := range all {
		if m.Module == kit.ServerPart || slices.Contains(left, m.Module) {
			continue
		}
		for _, e := range m.Parts.Endpoints {
			if slices.ContainsFunc(p.Modules().Endpoints, func(o kit.Endpoint) bool { return o.Path == e.Path }) {
				continue
			}
			path := inPath.ReplaceAllString(e.Path, "1")
			if e.Handler == nil && !e.Root {
				path = "/api/v1" + path
			}
			method := cmp.Or(e.Method, http.MethodGet)
			if status, body := p.ask(t, method, path, url.Values{}); status != http.StatusNotFound {
				t.Errorf("%s %s of %s: %d %.300s", method, path, m.Module, status, body)
			}
		}
	}
}

// without starts the server without a module and without the modules that depend on it, which it learns from
// configuration errors. It returns the server and the names of the remaining modules, or nil if the server itself
// requires the module.
func without(t *testing.T, dir, name string) (*partial, []string) {
	t.Helper()
	text, out := configs.Local(), []string{name}
	for range 50 {
		for _, m := range out {
			text = strings.Replace(text, "  "+m+": {}\n", "  "+m+": false\n", 1)
		}
		p, err := start(t, dir, text)
		var problems config.Problems
		switch {
		case err == nil:
			var left []string
			for _, m := range inConfig.FindAllStringSubmatch(text, -1) {
				left = append(left, m[1])
			}
			return p, left
		case !errors.As(err, &problems):
			t.Fatal(err)
		}
		out = nil
		for line := range strings.Lines(err.Error()) {
			who, why, _ := strings.Cut(line, ": needs the module ")
			m, isModule := strings.CutPrefix(who, "modules.")
			switch {
			case why == "":
				t.Fatal(err)
			case isModule && strings.Contains(why, "; add modules: {") && strings.Contains(why, ", or remove "):
				out = append(out, m)
			case isModule:
				t.Fatal(err)
			case strings.HasPrefix(why, name+";"):
				return nil, nil
			}
		}
		if out == nil {
			t.Fatal(err)
		}
	}
	t.Fatal("configuration errors never end")
	return nil, nil
}

// names checks that clients that ask which modules run learn it, and others do not.
func (p *partial) names(t *testing.T, left []string) {
	t.Helper()
	left = slices.Sorted(slices.Values(left))
	type answer struct {
		Names []string `json:"stoa_modules"`
	}
	check := func(method, path string, form url.Values, want []string) {
		t.Helper()
		var got answer
		if p.into(t, &got, method, path, form); !slices.Equal(got.Names, want) {
			t.Errorf("%s %s %v: %v, want %v", method, path, form, got.Names, want)
		}
	}
	check("GET", "/server_settings", url.Values{"stoa_modules": {"true"}}, left)
	check("GET", "/server_settings", url.Values{}, nil)
	if slices.Contains(left, "events") {
		check("POST", "/register", url.Values{"fetch_event_types": {`["stoa_modules"]`}}, left)
		check("POST", "/register", url.Values{}, nil)
	}
}

// talk registers a queue, sends a message and receives it, if the modules for that remain.
func (p *partial) talk(t *testing.T, left []string) {
	t.Helper()
	if !slices.Contains(left, "messages") {
		return
	}
	heard := slices.Contains(left, "events")
	var queue struct {
		ID string `json:"queue_id"`
	}
	if heard {
		p.into(t, &queue, "POST", "/register", url.Values{})
	}
	message := url.Values{"type": {"channel"}, "to": {`"proof"`}, "topic": {"t"}, "content": {"still here"}}
	if !slices.Contains(left, "channels") {
		message = url.Values{"type": {"direct"}, "to": {fmt.Sprintf("[%d]", p.owner.Owner)}, "content": {"still here"}}
	}
	p.must(t, "POST", "/messages", message)
	newest := url.Values{"anchor": {"newest"}, "num_before": {"1"}, "num_after": {"0"}}
	if body := p.must(t, "GET", "/messages", newest); !bytes.Contains(body, []byte("still here")) {
		t.Errorf("the message is missing: %s", body)
	}
	if !heard {
		return
	}
	events := url.Values{"queue_id": {queue.ID}, "last_event_id": {"-1"}, "dont_block": {"true"}}
	if body := p.must(t, "GET", "/events", events); !bytes.Contains(body, []byte("still here")) {
		t.Errorf("the message was not delivered: %s", body)
	}
}

// last lists requests that must come last, in this order, because no other request succeeds after them.
var last = []string{"POST /users/me/api_key/regenerate", "DELETE /users/me", "POST /realm/deactivate"}

// walk calls every route once, without parameters. It only checks that there are no internal errors.
func (p *partial) walk(t *testing.T) {
	t.Helper()
	all := slices.Clone(p.Modules().Endpoints)
	rank := func(call string) int { return slices.Index(last, call) }
	slices.SortStableFunc(all, func(a, b kit.Endpoint) int {
		return rank(a.Method+" "+a.Path) - rank(b.Method+" "+b.Path)
	})
	called := 0
	for _, e := range all {
		if e.Call == nil {
			continue
		}
		path := inPath.ReplaceAllString(e.Path, "1")
		if !e.Root {
			path = "/api/v1" + path
		}
		called++
		if status, body := p.ask(t, e.Method, path, url.Values{}); status >= http.StatusInternalServerError {
			t.Errorf("%s %s: %d %.300s", e.Method, path, status, body)
		}
	}
	if called == 0 {
		t.Error("no routes remain")
	}
}

// work runs every job once.
func (p *partial) work(t *testing.T) {
	t.Helper()
	for _, m := range p.Modules().Modules {
		for _, j := range m.Parts.Jobs {
			if err := p.RunJob(t.Context(), m.Module+"."+j.Name); err != nil {
				t.Errorf("%s.%s: %v", m.Module, j.Name, err)
			}
		}
	}
}

var inPath = regexp.MustCompile(`:[a-z_]+\+?`)

func (p *partial) into(t *testing.T, value any, method, path string, form url.Values) {
	t.Helper()
	if err := json.Unmarshal(p.must(t, method, path, form), value); err != nil {
		t.Fatal(err)
	}
}

func (p *partial) must(t *testing.T, method, path string, form url.Values) []byte {
	t.Helper()
	status, body := p.ask(t, method, "/api/v1"+path, form)
	if status != http.StatusOK {
		t.Fatalf("%s %s: %d %s", method, path, status, body)
	}
	return body
}

func (p *partial) ask(t *testing.T, method, path string, form url.Values) (int, []byte) {
	t.Helper()
	address, body := "http://"+p.Addr()+path, io.Reader(strings.NewReader(form.Encode()))
	if method == http.MethodGet {
		address, body = address+"?"+form.Encode(), nil
	}
	req, err := http.NewRequestWithContext(t.Context(), method, address, body)
	if err != nil {
		t.Fatal(err)
	}
	req.SetBasicAuth(p.owner.Email, p.owner.Key)
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	res, err := p.client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(io.LimitReader(res.Body, 1<<22))
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, text
}
