// Command validator checks the description of the API with kin-openapi, which reads OpenAPI as other tools do: that the
// document is valid, and that it admits what a server answers.
//
//	validator api.json                     # the document alone
//	validator api.json https://example.com # and requests to a server: EMAIL and KEY authenticate
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(args []string) error {
	ctx := context.Background()
	doc, err := openapi3.NewLoader().LoadFromFile(args[0])
	if err != nil {
		return err
	}
	if err := doc.Validate(ctx); err != nil {
		return err
	}
	fmt.Printf("kin-openapi: %d paths, valid\n", doc.Paths.Len())
	if len(args) < 2 {
		return nil
	}
	doc.Servers = openapi3.Servers{{URL: args[1] + "/api/v1"}}
	for _, item := range doc.Paths.Map() {
		item.Servers = nil
	}
	router, err := gorillamux.NewRouter(doc)
	if err != nil {
		return err
	}
	v := validator{ctx, router, args[1] + "/api/v1"}
	for _, r := range requests {
		if err := v.try(r); err != nil {
			return fmt.Errorf("%s %s: %w", r.method, r.path, err)
		}
	}
	fmt.Printf("kin-openapi: %d requests as described\n", len(requests))
	return nil
}

// request is a request to the server. The document must admit it if it is good, and refuse it otherwise.
type request struct {
	method, path string
	query        url.Values
	body         string // JSON; kin-openapi cannot read forms that contain lists of objects
	bad          bool
}

// requests have JSON in queries and in bodies.
var requests = []request{
	{method: "POST", path: "/users/me/subscriptions", body: `{"subscriptions": [{"name": "validated"}]}`},
	{method: "POST", path: "/messages", body: `{
		"type": "channel", "to": "validated", "topic": "clients", "content": "Hello from a validator"
	}`},
	{method: "GET", path: "/messages", query: messages(`[{"operator": "channel", "operand": "validated"}]`)},
	{method: "GET", path: "/messages", query: messages(`{"operator": "channel"}`), bad: true},
	{method: "GET", path: "/users/me"},
	{method: "GET", path: "/users", query: url.Values{"client_gravatar": {"no"}}, bad: true},
	{method: "POST", path: "/saved_snippets", bad: true, body: `{
		"content": "x", "title": "` + strings.Repeat("x", 61) + `"
	}`},
}

func messages(narrow string) url.Values {
	return url.Values{"anchor": {"newest"}, "num_before": {"1"}, "num_after": {"0"}, "narrow": {narrow}}
}

type validator struct {
	ctx    context.Context
	router routers.Router
	api    string
}

func (v validator) try(r request) error {
	req, err := v.build(r)
	if err != nil {
		return err
	}
	route, path, err := v.router.FindRoute(req)
	if err != nil {
		return err
	}
	in := &openapi3filter.RequestValidationInput{
		Request: req, PathParams: path, Route: route,
		Options: &openapi3filter.Options{AuthenticationFunc: openapi3filter.NoopAuthenticationFunc},
	}
	switch err := openapi3filter.ValidateRequest(v.ctx, in); {
	case r.bad && err == nil:
		return fmt.Errorf("the document admits %v%.100s", r.query, r.body)
	case !r.bad && err != nil:
		return err
	}
	if req, err = v.build(r); err != nil { // the validator has read the body
		return err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		return err
	}
	var answer struct{ Result string }
	if err := json.Unmarshal(body, &answer); err != nil || (answer.Result == "success") == r.bad {
		return fmt.Errorf("%w: %d %.300s", err, res.StatusCode, body)
	}
	return openapi3filter.ValidateResponse(v.ctx, &openapi3filter.ResponseValidationInput{
		RequestValidationInput: in, Status: res.StatusCode, Header: res.Header,
		Body: io.NopCloser(bytes.NewReader(body)),
	})
}

func (v validator) build(r request) (*http.Request, error) {
	to := v.api + r.path
	if len(r.query) > 0 {
		to += "?" + r.query.Encode()
	}
	req, err := http.NewRequestWithContext(v.ctx, r.method, to, strings.NewReader(r.body))
	if err != nil {
		return nil, err
	}
	if r.body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	req.SetBasicAuth(os.Getenv("EMAIL"), os.Getenv("KEY"))
	return req, nil
}
