package kittest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/modules/kit/openapi"
)

// recorder writes responses from which the description of the API takes its examples and codes, and the events that
// operations cause, into a file per process in the folder that the environment variable STOA_TEST_RECORD names.
// `make examples` reads them.
type recorder struct {
	mu   sync.Mutex
	file *os.File
	best map[string]int // operation, code and status, or event → how much the best one shows
}

var responses recorder

// record writes a response, and the parameters of a successful request, if they show more than others of their kind.
func (c *Client) record(method, path string, parameters url.Values, status int, body []byte) {
	c.s.T.Helper()
	folder := os.Getenv(recordsTo)
	if folder == "" {
		return
	}
	o, sent := c.s.checker().Request(method, path, parameters)
	if o == nil {
		return
	}
	r := Recording{ID: o.ID, Response: body}
	if r.Code() != "" {
		r.Status = status
	}
	shows, ok := r.Shows()
	if !ok {
		return
	}
	c.s.must("record a response", responses.write(folder, fmt.Sprint(r.ID, r.Code(), r.Status), r, shows))
	if text, err := json.Marshal(sent); r.Code() == "" && err == nil && len(sent) > 0 && len(text) < MaxExample {
		r := Recording{ID: o.ID, Request: text}
		c.s.must("record a request", responses.write(folder, r.ID+" request", r, r.Sends()))
	}
}

// Sends returns how much of the operation the request shows: many parameters, but short values. 0: it is none.
func (r Recording) Sends() int {
	var all map[string]json.RawMessage
	_ = json.Unmarshal(r.Request, &all) // was encoded
	return len(all)*MaxExample - len(r.Request)
}

// recordsTo is the environment variable that names the folder for recordings.
const recordsTo = "STOA_TEST_RECORD"

// write writes a recording, unless one of its kind has been written that shows as much.
func (w *recorder) write(folder, kind string, r Recording, shows int) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if best, found := w.best[kind]; found && best >= shows {
		return nil
	}
	if w.file == nil {
		var err error
		w.best = map[string]int{}
		w.file, err = os.OpenFile( //nolint:gosec // chosen by the developer
			filepath.Join(folder, fmt.Sprintf("%d.jsonl", os.Getpid())), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err != nil {
			return err
		}
	}
	w.best[kind] = shows
	return json.NewEncoder(w.file).Encode(r)
}

// Recording is a response that may become an example.
type Recording openapi.Recorded

// Limits of examples, whose lists and objects are cut to their first elements.
const (
	MaxExample     = 3000 // bytes
	maxExampleList = 2
)

// Code returns the code of an error; "": success.
func (r Recording) Code() errs.Code {
	var e struct {
		Code errs.Code `json:"code"`
	}
	_ = json.Unmarshal(r.Response, &e) // of success: none
	return e.Code
}

// Shows returns how much of the schema the response shows as an example, and whether it can be one.
func (r Recording) Shows() (int, bool) {
	v, ok := r.value()
	if !ok {
		return 0, false
	}
	b, err := json.Marshal(cut(v))
	if err != nil || len(b) > MaxExample {
		return 0, false
	}
	keys := map[string]bool{}
	collect(keys, "", v)
	return len(keys)*MaxExample - len(b), true
}

// Short returns the recording with shortened lists.
func (r Recording) Short() Recording {
	v, _ := r.value()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(cut(v)) // was decoded
	r.Response = bytes.TrimSpace(b.Bytes())
	return r
}

func (r Recording) value() (any, bool) {
	var v map[string]any
	d := json.NewDecoder(bytes.NewReader(r.Response))
	d.UseNumber()
	return v, d.Decode(&v) == nil && v["result"] != nil
}

// address is that of a server in a test.
var address = regexp.MustCompile(`https?://([\w-]+\.)*127\.0\.0\.1(:[0-9]+)?`)

// cut shortens lists and objects whose keys are data, leaves out aliases, and replaces the addresses of servers.
func cut(v any) any {
	switch v := v.(type) {
	case string:
		return address.ReplaceAllString(v, "https://chat.example.com")
	case []any:
		for i := range v {
			v[i] = cut(v[i])
		}
		return v[:min(len(v), maxExampleList)]
	case map[string]any:
		data := 0
		for _, k := range slices.Sorted(maps.Keys(v)) {
			v[k] = cut(v[k])
			if strings.HasPrefix(k, "zulip_") || strings.HasPrefix(k, "realm_zulip_") { // repeats another, for older clients
				delete(v, k)
			}
			if k != "" && strings.Trim(k, "0123456789") == "" {
				if data++; data > maxExampleList {
					delete(v, k)
				}
			}
		}
	}
	return v
}

// collect adds the paths of all keys with a value to keys.
func collect(keys map[string]bool, at string, v any) {
	switch v := v.(type) {
	case []any:
		for _, x := range v {
			collect(keys, at+"/", x)
		}
	case map[string]any:
		for k, x := range v {
			if strings.Trim(k, "0123456789") == "" {
				k = "0"
			}
			collect(keys, at+"/"+k, x)
		}
	case nil:
	case string:
		keys[at] = keys[at] || v != ""
	default:
		keys[at] = true
	}
}
