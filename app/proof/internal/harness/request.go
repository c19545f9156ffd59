package harness

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/stoachat/stoa/app/kittest/testrun"
)

// Client makes the requests to all servers.
var Client = &http.Client{Timeout: testrun.Patience, Transport: &http.Transport{MaxIdleConnsPerHost: 100}}

// request sends a request with the user's API key.
func (s *Server) request(ctx context.Context, method, path string, params url.Values) (*http.Response, error) {
	u, body := s.URL+"/api/v1"+path, ""
	if method == http.MethodGet {
		u += "?" + params.Encode()
	} else {
		body = params.Encode()
	}
	req, err := http.NewRequestWithContext(ctx, method, u, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.SetBasicAuth(s.Mail, s.Key)
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return Client.Do(req)
}

// Call returns the response to a request. An error means that the server did not respond, or with a status of 500 or
// more.
func (s *Server) Call(method, path string, params url.Values) (map[string]any, error) {
	res, err := s.request(context.Background(), method, path, params)
	if err != nil {
		return nil, err
	}
	defer func() { _ = res.Body.Close() }()
	out := map[string]any{}
	d := json.NewDecoder(res.Body)
	d.UseNumber()
	if err := d.Decode(&out); err != nil {
		return nil, err
	}
	if res.StatusCode >= 500 {
		return nil, fmt.Errorf("%d: %v", res.StatusCode, out)
	}
	return out, nil
}

// Must is Call for a request that succeeds.
func (s *Server) Must(method, path string, params url.Values) map[string]any {
	s.T.Helper()
	out, err := s.Call(method, path, params)
	if err != nil || out["result"] != "success" {
		s.T.Fatalf("%s %s: %v %v", method, path, out, err)
	}
	return out
}

// Send sends a message to the channel "proof" and returns its ID.
func (s *Server) Send(content string) int64 {
	s.T.Helper()
	return Int(s.Must("POST", "/messages", url.Values{"type": {"stream"}, "to": {`"proof"`}, "topic": {"t"},
		"content": {content}})["id"])
}

// Response is a response as it was sent.
type Response struct {
	Status int
	Header http.Header
	Body   []byte
}

// Raw returns the response to a request, whatever its status.
func (s *Server) Raw(method, path string, params url.Values) Response {
	s.T.Helper()
	res, err := s.request(s.T.Context(), method, path, params)
	if err != nil {
		s.T.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		s.T.Fatal(err)
	}
	return Response{res.StatusCode, res.Header, b}
}

// Int returns a number in a response, or 0.
func Int(v any) int64 {
	n, _ := v.(json.Number)
	i, _ := n.Int64()
	return i
}
