package access_test

import (
	"fmt"
	"log/slog"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/domain/user"
)

// listener is a caller with queues that together receive as many events as possible.
type listener struct {
	c      *caller
	queues map[string]string // the last event ID of each
}

// TestNothingLeaks checks that no response, header, event or log line of any route contains a secret that the caller
// must not read.
func TestNothingLeaks(t *testing.T) {
	for _, restricted := range []bool{false, true} {
		t.Run(fmt.Sprint("guests restricted ", restricted), func(t *testing.T) {
			t.Parallel()
			var log kittest.Lines
			o := newOracle(t, restricted, slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})))
			o.place()
			all := o.listen()
			o.place() // received as events
			o.drain(all, "an event")
			for _, l := range all {
				o.requestAll(l.c)
			}
			for _, l := range all {
				o.changeAll(l.c)
			}
			o.drain(all, "a late event")
			for _, l := range o.listen() {
				o.searches(l.c)
			}
			o.checkText(nil, "a line", log.String())
			if o.looked < 5000 {
				t.Errorf("only %d texts were searched", o.looked)
			}
		})
	}
}

func newOracle(t *testing.T, restricted bool, log *slog.Logger) *oracle {
	t.Helper()
	// The development login page shows all addresses to everyone.
	o := &oracle{fixture: newFixture(t, log, "demo"), secrets: map[string]secret{}, hashes: map[string]secret{},
		faulty: map[string]bool{}}
	o.alice = o.known("alice", user.Member)
	for _, c := range []*caller{o.olga, o.alice} {
		o.hashes[c.at.Key()] = secret{c.name + "'s API key", nobody}
	}
	for _, c := range o.all {
		c.restricted = restricted && c.guest()
	}
	// Each caller is tested in the realm state that affects it.
	o.asking = slices.DeleteFunc(slices.Clone(o.all), func(c *caller) bool {
		return restricted != (c.guest() || c.role == 0 && !c.spectator) && c.name != "member"
	})
	if restricted {
		o.do("PATCH /realm", "enable_spectator_access", "false", "can_access_all_users_group",
			fmt.Sprintf(`{"new":%s}`, o.fields["members"]))
	}
	return o
}

// listen registers queues for all callers that can have one.
func (o *oracle) listen() []*listener {
	o.t.Helper()
	can := `{"archived_channels":true,"include_deactivated_groups":true,"empty_topic_name":true,` +
		`"bulk_message_deletion":true,` +
		`"linkifier_url_template":true,"user_list_incomplete":true,"stream_typing_notifications":true}`
	ways := [][]string{
		{"include_subscribers", "true", "client_capabilities", can, "apply_markdown", "true", "client_gravatar", "false"},
		{"include_subscribers", "partial", "client_gravatar", "true", "slim_presence", "true"},
		{"narrow", `[["is","unread"]]`}, {"narrow", `[["is","alerted"]]`}, {"narrow", `[["channel","lobby"]]`},
		{"narrow", `[["is","dm"]]`},
		{"client_capabilities", can, "client_gravatar", "false"}, // as in the web client for spectators
		{"all_public_streams", "true"}, {"all_public_streams", "true", "narrow", `[["is","mentioned"]]`},
	}
	var all []*listener
	for _, c := range o.asking {
		l := &listener{c, map[string]string{}}
		for _, w := range ways {
			a := o.ask(c, "POST /register", w...)
			o.checkText(c, "POST /register", whole(a.Header, a.Body))
			if a.Status == http.StatusOK && a.Get("queue_id") != nil { // spectators have no queue
				l.queues[a.String("queue_id")] = fmt.Sprint(a.Int("last_event_id"))
			}
		}
		all = append(all, l)
	}
	return all
}

func (o *oracle) drain(all []*listener, what string) {
	o.t.Helper()
	for _, l := range all {
		for id, last := range l.queues {
			a := o.ask(l.c, "GET /events", "queue_id", id, "last_event_id", last, "dont_block", "true")
			o.checkText(l.c, what, whole(a.Header, a.Body))
		}
	}
}

func whole(h http.Header, body string) string {
	var b strings.Builder
	_ = h.Write(&b)
	return b.String() + body
}

// about returns the objects with secrets for a row, or a missing one.
func (o *oracle) about(r *row) []object {
	switch {
	case r.on == nil:
		return []object{{}}
	case r.on.name == "channel":
		return o.channels
	case r.on.name == "message":
		return o.messages
	case r.on.name == "file":
		return o.files
	case r.on.name == "person":
		return o.people
	}
	return []object{{r.on.missing}}
}

// requestAll makes every read-only request in every form.
func (o *oracle) requestAll(c *caller) {
	o.t.Helper()
	for _, tab := range tables() {
		for _, r := range tab.rows {
			if tab.module == "demo" || !strings.HasPrefix(r.route, http.MethodGet) || r.route == "GET /events" {
				continue
			}
			for i, obj := range o.about(r) {
				x := cell{w: o.fixture, c: c, o: obj}
				a := r.ask(x)
				o.checkText(c, r.title(), whole(a.Header, a.Body))
				if i > 0 || r.on == nil || r.found == nil {
					continue
				}
				for _, params := range o.forms(r.route) {
					more := *r
					more.with = append(slices.Clone(r.with), params...)
					if more.do == nil {
						a := more.ask(x)
						o.checkText(c, r.title(), whole(a.Header, a.Body))
					}
				}
			}
		}
	}
}

// forms returns parameters for a route: each boolean with its non-default value, and all of them together.
func (o *oracle) forms(route string) [][]string {
	var all []string
	var forms [][]string
	for _, e := range o.s.Ports.Collected.Endpoints {
		if routeOf(e) != route || e.Req == nil || e.Req.Kind() != reflect.Struct {
			continue
		}
		for f := range e.Req.Fields() {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if f.Type.Kind() == reflect.Bool {
				value := fmt.Sprint(f.Tag.Get("default") != "true")
				forms, all = append(forms, []string{name, value}), append(all, name, value)
			}
		}
	}
	return append(forms, all)
}

// changeAll makes all other requests. It skips administrators, whose changes may give others access.
func (o *oracle) changeAll(c *caller) {
	o.t.Helper()
	if c.admin() && !c.elsewhere {
		return
	}
	for _, tab := range tables() {
		for _, r := range tab.rows {
			if tab.module == "demo" || strings.HasPrefix(r.route, http.MethodGet) || r.route == "DELETE /events" ||
				r.name == "to another channel" {
				continue
			}
			for _, obj := range o.about(r) {
				x := cell{w: o.fixture, c: c, o: obj}
				a := r.ask(x)
				o.checkText(c, r.title(), whole(a.Header, a.Body))
				if a.Status == http.StatusOK && r.after != nil {
					r.after(o.fixture, x)
				}
			}
		}
	}
}
