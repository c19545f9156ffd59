package oracle_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/domain/user"
)

// webRegistration holds the parameters with which the web client registers.
const webRegistration = "../../../modules/web/ui/src/store/registration.json"

// recording is a sequence as the web client receives it: the response to its registration, the events, the response to
// a new registration at the end, and what the server permitted at several points. The client's own tests replay it.
type recording struct {
	w     *simulation
	file  string
	user  user.ID
	ask   *kittest.Client
	with  []string
	queue *kittest.Queue

	events     []json.RawMessage
	permission []permitted
}

// permitted holds what the server permits the user after the first events of a recording. Now is the server's time in
// seconds, and Messages are those that Can is about.
type permitted struct {
	After    int             `json:"after"` // number of events
	Now      int64           `json:"now"`
	Messages json.RawMessage `json:"messages"`
	Can      decisions       `json:"can"`
}

// record starts a recording if STOA_STATE_RECORDS names a folder. Otherwise it returns nil.
func (w *simulation) record(seed uint64) *recording {
	w.s.T.Helper()
	folder := os.Getenv("STOA_STATE_RECORDS")
	if folder == "" {
		return nil
	}
	text, err := os.ReadFile(webRegistration)
	var all map[string]json.RawMessage
	if err == nil {
		err = json.Unmarshal(text, &all)
	}
	if err != nil {
		w.s.T.Fatal(err)
	}
	i := int(seed) % len(w.names)
	name := w.names[i]
	r := &recording{w: w, file: filepath.Join(folder, fmt.Sprintf("%d-%s.json", seed, name)), user: user.ID(w.users[i]),
		ask: w.as(name), with: []string{"idle_queue_timeout", "604800"}}
	for key, value := range all {
		r.with = append(r.with, key, string(value))
	}
	r.queue = r.ask.Register(r.with...)
	r.follow()
	return r
}

// follow takes the events since the last call, and records the server's decisions after them.
func (r *recording) follow() {
	if r == nil {
		return
	}
	t := r.w.s.T
	t.Helper()
	for {
		var taken struct{ Events []json.RawMessage }
		r.queue.Take().JSON(&taken)
		if len(taken.Events) == 0 {
			break
		}
		r.events = append(r.events, taken.Events...)
	}
	var page struct{ Messages json.RawMessage }
	r.ask.Do("GET /messages", "anchor", "newest", "num_before", "12", "num_after", "0").OK().JSON(&page)
	var seen []seenMessage
	if err := json.Unmarshal(page.Messages, &seen); err != nil {
		t.Fatal(err)
	}
	now := r.w.s.Clock.Now().Truncate(time.Second)
	r.permission = append(r.permission,
		permitted{len(r.events), now.Unix(), page.Messages, r.w.decide(r.user, now, seen)})
}

// write ends a recording and writes it to its file.
func (r *recording) write(t testing.TB) {
	t.Helper()
	if r == nil {
		return
	}
	r.follow()
	out := map[string]any{"events": append([]json.RawMessage{}, r.events...), "permissions": r.permission}
	for name, a := range map[string]*kittest.Response{
		"start": r.queue.Start, "end": r.ask.Do("POST /register", append(r.with, "event_types", "null")...).OK(),
	} {
		var value json.RawMessage
		a.JSON(&value)
		out[name] = value
	}
	text, err := json.Marshal(out)
	if err == nil {
		err = os.WriteFile(r.file, text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	r.queue.Close()
}
