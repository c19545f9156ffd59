package kittest

import (
	"io"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"sync"

	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/kit/openapi"
)

// checkers hold the descriptions of the API that responses are compared with, by what modules declare. Most tests of a
// package start the same modules.
var checkers struct {
	mu  sync.Mutex
	all map[string]func() *openapi.Checker
}

// checkerOf returns a function that describes the API of modules when it is first called.
func checkerOf(modules *kit.Collected) func() *openapi.Checker {
	from := openapi.Source{Modules: modules}
	key := from.Fingerprint()
	checkers.mu.Lock()
	defer checkers.mu.Unlock()
	if checkers.all == nil {
		checkers.all = map[string]func() *openapi.Checker{}
	}
	if checkers.all[key] == nil {
		checkers.all[key] = sync.OnceValue(func() *openapi.Checker { return openapi.NewChecker(openapi.New(from)) })
	}
	return checkers.all[key]
}

// checkDescribed fails the test if a response, an event in it, or the names of parameters in its request differ from
// the description of the API.
func (c *Client) checkDescribed(req *http.Request, sent []byte, status int, body []byte) {
	c.s.T.Helper()
	path, ok := strings.CutPrefix(req.URL.Path, c.under)
	if !ok || c.under != "/api/v1" && c.under != "/json" || c.s.checker == nil {
		return
	}
	parameters := req.URL.Query()
	if form, err := url.ParseQuery(string(sent)); err == nil {
		maps.Copy(parameters, form)
	}
	c.record(req.Method, path, parameters, status, body)
	if text := c.s.checker().Exchange(req.Method, path, parameters, status, body); text != "" {
		c.s.T.Errorf("%s %s differs from the description of the API: %s\n%.2000s", req.Method, path, text, body)
	}
}

// formOf returns the form in the body of a request.
func formOf(req *http.Request) []byte {
	if req.GetBody == nil || req.Header.Get("Content-Type") != "application/x-www-form-urlencoded" {
		return nil
	}
	r, err := req.GetBody()
	if err != nil {
		return nil
	}
	b, _ := io.ReadAll(r) // of memory
	return b
}
