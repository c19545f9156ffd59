package load

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// person is someone with an API key.
type person struct {
	ID    int64  `json:"user_id"`
	Email string `json:"email"`
	Key   string `json:"api_key"`

	site  string
	calls *http.Client
	polls *http.Client // of their own, so that polls take no connection from calls

	queue      string
	last       int64  // ID of the last event
	disconnect func() // ends the polls and waits for their end; nil: there are none
}

// Limits of requests and responses.
const (
	callTimeout = 30 * time.Second
	pollTimeout = 2 * time.Minute
	maxResponse = 64 << 20
)

// newClient returns a client that keeps its connections.
func newClient(timeout time.Duration, most int) *http.Client {
	return &http.Client{Timeout: timeout, Transport: &http.Transport{
		Proxy: http.ProxyFromEnvironment, MaxIdleConns: 0, MaxIdleConnsPerHost: most, IdleConnTimeout: time.Minute,
	}}
}

// refusedError is a response that is no success.
type refusedError struct {
	status    int
	code, msg string
}

// Error implements error.
func (e *refusedError) Error() string { return fmt.Sprintf("%d %s: %s", e.status, e.code, e.msg) }

// call makes a request. The parameters are name, value, ...; into may be nil.
func (p *person) call(ctx context.Context, client *http.Client, request string, into any, params ...string) error {
	method, path, _ := strings.Cut(request, " ")
	form := url.Values{}
	for i := 0; i+1 < len(params); i += 2 {
		form.Set(params[i], params[i+1])
	}
	address, body := p.site+"/api/v1"+path, io.Reader(nil)
	if method == http.MethodGet {
		address += "?" + form.Encode()
	} else {
		body = strings.NewReader(form.Encode())
	}
	req, err := http.NewRequestWithContext(ctx, method, address, body)
	if err != nil {
		return err
	}
	if p.Key != "" {
		req.SetBasicAuth(p.Email, p.Key)
	}
	req.Header.Set("User-Agent", "stoa-load")
	if body != nil {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	res, err := client.Do(req)
	if err != nil {
		return unwrapped(err)
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(io.LimitReader(res.Body, maxResponse))
	if err != nil {
		return unwrapped(err)
	}
	if res.StatusCode != http.StatusOK {
		var refused struct{ Code, Msg string }
		_ = json.Unmarshal(text, &refused) // a proxy responds with other texts
		return &refusedError{res.StatusCode, refused.Code, refused.Msg}
	}
	if into == nil {
		return nil
	}
	return json.Unmarshal(text, into)
}

// unwrapped returns an error without the URL, which differs between requests.
func unwrapped(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		return u.Err
	}
	return err
}

// do makes a request whose response does not matter.
func (p *person) do(ctx context.Context, request string, params ...string) error {
	return p.call(ctx, p.calls, request, nil, params...)
}
