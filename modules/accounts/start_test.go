package accounts_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/modules/accounts"
	"github.com/stoachat/stoa/modules/channels"
	"github.com/stoachat/stoa/modules/events"
	"github.com/stoachat/stoa/modules/realm"
)

// start starts a server whose passwords are cheap to hash.
func start(t *testing.T, settings ...string) *kittest.Server {
	t.Helper()
	config := "modules: {accounts: {password_memory_kib: 64, password_passes: 1" + strings.Join(append([]string{""}, settings...), ", ") + "}}"
	return kittest.StartWith(t, kittest.Options{Config: config}, realm.Module, accounts.Module, channels.Module, events.Module)
}

// startOn is start on a database.
func startOn(t *testing.T, url string) *kittest.Server {
	t.Helper()
	config := "modules: {accounts: {password_memory_kib: 64, password_passes: 1}}"
	return kittest.StartWith(t, kittest.Options{DatabaseURL: url, Config: config}, realm.Module, accounts.Module, channels.Module, events.Module)
}

// path gives a path with a person's id in the place of %d.
func path(s *kittest.Server, format, name string) string { return fmt.Sprintf(format, s.UserID(name)) }

// queue is a person's event queue.
type queue struct {
	c    *kittest.Client
	id   string
	last int64
}

func register(c *kittest.Client, params ...string) (*queue, *kittest.Answer) {
	a := c.Do("POST /register", params...).OK()
	return &queue{c, a.String("queue_id"), a.Int("last_event_id")}, a
}

// next gives what came since, as JSON without ids.
func (q *queue) next(t *testing.T) []string {
	t.Helper()
	var res struct {
		Events []map[string]any `json:"events"`
	}
	q.c.Do("GET /events", "queue_id", q.id, "last_event_id", fmt.Sprint(q.last), "dont_block", "true").OK().JSON(&res)
	out := []string{}
	for _, e := range res.Events {
		q.last = int64(e["id"].(float64))
		delete(e, "id")
		b, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, string(b))
	}
	return out
}

// same compares lists of JSON texts whose keys are sorted.
func same(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("%s:\n got %s\nwant %s", what, strings.Join(got, "\n     "), strings.Join(want, "\n     "))
	}
}
