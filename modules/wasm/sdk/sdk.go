package sdk

import (
	"encoding/json"
	"errors"
	"fmt"
)

// User is a user as modules see it. Roles are those of the API: 100 owner, 200 administrator, 300 moderator, 400
// member, 600 guest.
type User struct {
	ID     int64  `json:"id"`
	Name   string `json:"name"`
	Role   int    `json:"role"`
	Bot    bool   `json:"bot"`
	Active bool   `json:"active"`
}

// Request is a client's request to one of the module's routes.
type Request struct {
	Method string            `json:"method"`
	Path   string            `json:"path"` // below /api/v1/modules/NAME
	Params map[string]string `json:"params"`
	User   User              `json:"user"` // who sends it; the route's access rule admits them
}

// Message is a message that the module's bot has received.
type Message struct {
	ID        int64  `json:"id"`
	ChannelID int64  `json:"channel_id"` // 0: a direct message
	Channel   string `json:"channel"`
	Topic     string `json:"topic"`
	Content   string `json:"content"` // Markdown
	At        int64  `json:"at"`      // seconds since 1970
	Sender    User   `json:"sender"`
}

type call struct {
	Kind    string   `json:"kind"`
	Route   *Request `json:"route"`
	Message *Message `json:"message"`
}

type reply struct {
	Body  any    `json:"body,omitempty"`
	Error string `json:"error,omitempty"`
}

var (
	routes    = map[string]func(Request) (any, error){}
	onMessage func(Message) error
	onJob     func() error
)

// OnRoute handles the requests to a route, such as "GET /top", or "GET /top/*" for all paths below. The result is
// encoded as a JSON object, to which the server adds result and msg. An error refuses the request; the client is shown
// its text.
func OnRoute(route string, handle func(Request) (any, error)) { routes[route] = handle }

// OnMessage handles messages.
func OnMessage(handle func(Message) error) { onMessage = handle }

// OnJob is called at the interval in the manifest.
func OnJob(handle func() error) { onJob = handle }

// serve handles a call and returns the reply. The error of a hook or a job is a failure of the module.
func serve(text []byte) []byte {
	var c call
	if err := json.Unmarshal(text, &c); err != nil {
		panic(err)
	}
	var out reply
	var err error
	switch {
	case c.Kind == "route" && c.Route != nil:
		out.Body, err = route(*c.Route)
		if err != nil {
			out, err = reply{Error: err.Error()}, nil
		}
	case c.Kind == "message" && c.Message != nil && onMessage != nil:
		err = onMessage(*c.Message)
	case c.Kind == "job" && onJob != nil:
		err = onJob()
	}
	if err != nil {
		panic(err)
	}
	if text, err = json.Marshal(out); err != nil {
		panic(err)
	}
	return text
}

func route(r Request) (any, error) {
	if handle := routes[r.Method+" "+r.Path]; handle != nil {
		return handle(r)
	}
	for i := len(r.Path) - 1; i > 0; i-- {
		if handle := routes[r.Method+" "+r.Path[:i]+"/*"]; r.Path[i] == '/' && handle != nil {
			return handle(r)
		}
	}
	return nil, errors.New("the manifest lists a route that the module does not handle")
}

// ask asks the server for something. The error is that of the server's API.
func ask[T any](act string, args any) (T, error) {
	var out struct {
		Result T      `json:"result"`
		Error  string `json:"error"`
	}
	text, err := json.Marshal(map[string]any{"act": act, "args": args})
	if err != nil {
		return out.Result, err
	}
	if text, err = exchange(text); err != nil {
		return out.Result, err
	}
	if err := json.Unmarshal(text, &out); err != nil {
		return out.Result, err
	}
	if out.Error != "" {
		return out.Result, fmt.Errorf("%s: %s", act, out.Error)
	}
	return out.Result, nil
}
