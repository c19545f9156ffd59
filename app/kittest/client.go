package kittest

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
)

// Client sends requests as one user.
type Client struct {
	s          *Server
	email, key string
	agent      string
	under      string
	host       string
}

// As returns a client with a user's API key.
func (s *Server) As(name string) *Client {
	s.T.Helper()
	p := s.person(name)
	return &Client{s: s, email: p.email(), key: p.key, under: "/api/v1"}
}

// Anonymous returns a client without a key.
func (s *Server) Anonymous() *Client { return &Client{s: s, under: "/api/v1"} }

// WithKey returns a client with the given credentials.
func (s *Server) WithKey(email, key string) *Client {
	return &Client{s: s, email: email, key: key, under: "/api/v1"}
}

// Under returns a client with another path prefix, or none.
func (c *Client) Under(prefix string) *Client { d := *c; d.under = prefix; return &d }

// At returns a client that uses another host name.
func (c *Client) At(host string) *Client { d := *c; d.host = host; return &d }

// Agent returns a client with the given User-Agent.
func (c *Client) Agent(name string) *Client { d := *c; d.agent = name; return &d }

// Email returns the client's email address.
func (c *Client) Email() string { return c.email }

// Key returns the client's API key.
func (c *Client) Key() string { return c.key }

// Do sends "METHOD /path" with parameters given as name, value, name, value, ... A name may occur more than once.
func (c *Client) Do(call string, params ...string) *Response {
	c.s.T.Helper()
	form := url.Values{}
	if len(params)%2 != 0 {
		c.s.T.Fatalf("%s: parameters come as name, value, ...; got %d strings", call, len(params))
	}
	for pair := range slices.Chunk(params, 2) {
		form.Add(pair[0], pair[1])
	}
	method, _, _ := strings.Cut(call, " ")
	if method == http.MethodGet || method == http.MethodHead {
		if len(form) > 0 {
			sep := "?"
			if strings.Contains(call, "?") {
				sep = "&"
			}
			call += sep + form.Encode()
		}
		return c.Send(call, "", nil)
	}
	return c.Send(call, "application/x-www-form-urlencoded", strings.NewReader(form.Encode()))
}

// Send sends "METHOD /path?query" with any body.
func (c *Client) Send(call, contentType string, body io.Reader) *Response {
	t := c.s.T
	t.Helper()
	req := c.Request(call, body)
	if contentType != "" {
		req.Header.Set("Content-Type", contentType)
	}
	return c.RoundTrip(req)
}

// RoundTrip sends a request returned by Request.
func (c *Client) RoundTrip(req *http.Request) *Response {
	t, call := c.s.T, req.Method+" "+req.URL.RequestURI()
	t.Helper()
	res, err := c.s.Client.Do(req) //nolint:gosec // requests to a test server
	if err != nil {
		t.Fatalf("%s: %v", call, err)
	}
	defer func() { _ = res.Body.Close() }()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatalf("%s: read the response: %v", call, err)
	}
	c.checkDescribed(req, formOf(req), res.StatusCode, b)
	return &Response{T: t, Call: call, Status: res.StatusCode, Header: res.Header, Body: string(b)}
}

// Request returns the request that Send would send, for tests that modify it.
func (c *Client) Request(call string, body io.Reader) *http.Request {
	t := c.s.T
	t.Helper()
	method, path, ok := strings.Cut(call, " ")
	if !ok {
		t.Fatalf("%q is not METHOD /path", call)
	}
	req, err := http.NewRequestWithContext(t.Context(), method, c.s.URL+c.under+path, body)
	if err != nil {
		t.Fatalf("%s: %v", call, err)
	}
	if c.key != "" {
		req.SetBasicAuth(c.email, c.key)
	}
	if c.host != "" {
		req.Host = c.host
	}
	if c.agent != "" {
		req.Header.Set("User-Agent", c.agent)
	}
	return req
}

// Response is the server's response.
type Response struct {
	T      testing.TB
	Call   string
	Status int
	Header http.Header
	Body   string

	decoded     any    // nil: not decoded yet
	decodedFrom string // the body when it was decoded
}

// Is checks the status and the complete JSON body.
func (a *Response) Is(status int, body string) *Response {
	a.T.Helper()
	a.status(status)
	want, err := decode(body)
	if err != nil {
		a.T.Fatalf("%s: the expected body is not JSON: %v\n%s", a.Call, err, body)
	}
	if d := differ("body", want, a.value()); d != "" {
		a.T.Fatalf("%s: %s\n got %s\nwant %s", a.Call, d, a.Body, body)
	}
	return a
}

// OK checks that the request succeeded.
func (a *Response) OK() *Response {
	a.T.Helper()
	a.status(http.StatusOK)
	if got := a.Get("result"); got != "success" {
		a.T.Fatalf("%s: result is %v: %s", a.Call, got, a.Body)
	}
	return a
}

// Error checks for an error with the given status and code, whose msg contains a text.
func (a *Response) Error(status int, code, msg string) *Response {
	a.T.Helper()
	a.status(status)
	body, _ := a.value().(map[string]any)
	if got, _ := body["code"].(string); got != code || body["result"] != "error" {
		a.T.Fatalf("%s: want the error code %q, got %s", a.Call, code, a.Body)
	}
	if got, _ := body["msg"].(string); !strings.Contains(got, msg) {
		a.T.Fatalf("%s: msg does not contain %q: %s", a.Call, msg, a.Body)
	}
	return a
}

// JSON decodes the body into v.
func (a *Response) JSON(v any) *Response {
	a.T.Helper()
	if err := unmarshal(a.Body, v); err != nil {
		a.T.Fatalf("%s: %v\n%s", a.Call, err, a.Body)
	}
	return a
}

// Get returns the value at a path of keys and indexes, such as "members.0.email": a json.Number, string, bool, nil,
// []any or map[string]any. It fails the test if there is no such path.
func (a *Response) Get(path string) any {
	a.T.Helper()
	v, key, ok := a.at(path)
	if !ok {
		a.T.Fatalf("%s: the response has no %s (at %q): %s", a.Call, path, key, a.Body)
	}
	return deepCopy(v)
}

// Int returns the integer at a path.
func (a *Response) Int(path string) int64 {
	a.T.Helper()
	var n int64
	if _, err := fmt.Sscan(fmt.Sprint(a.Get(path)), &n); err != nil {
		a.T.Fatalf("%s: %s is not an integer: %s", a.Call, path, a.Body)
	}
	return n
}

// String returns the string at a path.
func (a *Response) String(path string) string {
	a.T.Helper()
	s, ok := a.Get(path).(string)
	if !ok {
		a.T.Fatalf("%s: %s is not a string: %s", a.Call, path, a.Body)
	}
	return s
}

// Has reports whether there is a value at a path.
func (a *Response) Has(path string) bool {
	a.T.Helper()
	_, _, ok := a.at(path)
	return ok
}
