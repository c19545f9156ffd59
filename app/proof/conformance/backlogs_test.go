package conformance_test

import (
	"cmp"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stoachat/stoa/modules/kit"
)

// rarelyCostly lists jobs that run often without a backlog.
var rarelyCostly = []string{
	"server.checkpoint",     // looks at the size of a file
	"events.sweep",          // only reads memory
	"mailin.receive emails", // runs until the server stops
	"server.database",       // looks at the file
	"wasm.prepare",          // only reads memory
	"server.limits",         // only reads memory, unless limits were used
}

// unannounced lists jobs whose work can wait until the server looks.
var unannounced = []string{"messages.search"}

// TestBacklogs checks that jobs which run every few seconds have a backlog, so that an idle server costs nothing, and
// that whatever adds work to a backlog announces it, so that the work does not wait until the server looks.
func TestBacklogs(t *testing.T) {
	s, here := oneRealm(t)
	announced := map[*kit.Backlog]bool{}
	jobs := map[*kit.Backlog]string{}
	for _, m := range s.Ports.Collected.Modules {
		for _, j := range m.Parts.Jobs {
			name := m.Module + "." + j.Name
			switch {
			case j.Backlog != nil:
				jobs[j.Backlog] = cmp.Or(jobs[j.Backlog], name)
				j.Backlog.OnAdded(func() { announced[j.Backlog] = true })
			case j.Every < time.Minute/2 && !slices.Contains(rarelyCostly, name):
				t.Errorf("the job %s runs every %v; give it a backlog", name, j.Every)
			}
		}
	}
	covered := map[string]bool{}
	look := func() {
		t.Helper()
		for b, job := range jobs {
			var due any
			err := s.App.DB().From(t.Context()).QueryRowContext(t.Context(), "SELECT ("+b.Earliest+")").Scan(&due)
			if err != nil {
				t.Fatal(err)
			}
			covered[job] = covered[job] || due != nil
			if due != nil && !announced[b] && !slices.Contains(unannounced, job) {
				t.Errorf("work for the job %s was added without announcing it", job)
			}
		}
	}
	here.settle()
	look()
	here.fill(t, s)
	olga := s.As("olga")
	bot := olga.Do("POST /bots", "full_name", "Called", "short_name", "called", "bot_type", "3", "service_name", "canary",
		"payload_url", `"https://example.com/"`).OK().Int("user_id")
	olga.Do("POST /messages", "type", "direct", "to", fmt.Sprintf("[%d]", bot), "content", "call").OK()
	olga.Do("POST /export/realm", "export_type", "1").OK()
	olga.Do("POST /invites", "invitee_emails", "zoe@example.com", "invite_as", "400", "stream_ids", "[]").OK()
	look()
	for _, job := range []string{
		"scheduled.deliver", "outgoing.call_1", "exports.write", "mail.send_mails",
	} {
		if !covered[job] {
			t.Errorf("this test adds no work for the job %s", job)
		}
	}
}
