package groups_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
)

// queue is a person's event queue for user_group.
type queue struct {
	c    *kittest.Client
	id   string
	last int64
}

func register(c *kittest.Client, params ...string) (*queue, *kittest.Answer) {
	a := c.Do("POST /register", append(params, "event_types", `["user_group"]`, "fetch_event_types", `["realm_user_groups"]`)...).OK()
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

func same(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("%s:\n got %s\nwant %s", what, strings.Join(got, "\n     "), strings.Join(want, "\n     "))
	}
}
