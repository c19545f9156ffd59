package proof_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
)

// webRegistration holds the parameters with which the web client registers.
const webRegistration = "../../modules/web/ui/src/store/registration.json"

// recording is a sequence as the web client receives it: the response to its registration, the events, and the response
// to a new registration at the end. The client's own tests replay it.
type recording struct {
	file  string
	ask   *kittest.Client
	with  []string
	queue *kittest.Queue
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
	name := w.names[int(seed)%len(w.names)]
	r := &recording{file: filepath.Join(folder, fmt.Sprintf("%d-%s.json", seed, name)), ask: w.as(name),
		with: []string{"idle_queue_timeout", "604800"}}
	for key, value := range all {
		r.with = append(r.with, key, string(value))
	}
	r.queue = r.ask.Register(r.with...)
	return r
}

// write ends a recording and writes it to its file.
func (r *recording) write(t testing.TB) {
	t.Helper()
	if r == nil {
		return
	}
	var polled struct{ Events json.RawMessage }
	r.queue.Poll().OK().JSON(&polled)
	out := map[string]json.RawMessage{"events": polled.Events}
	for name, a := range map[string]*kittest.Answer{
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
