package kittest

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
)

// Queue is a client's event queue, and its position in that queue.
type Queue struct {
	*Client

	ID    string    // queue_id
	Last  int64     // ID of the last event taken
	Start *Response // the response to POST /register
}

// Register registers an event queue. The parameters are those of POST /register.
func (c *Client) Register(params ...string) *Queue {
	c.s.T.Helper()
	a := c.Do("POST /register", params...).OK()
	return &Queue{Client: c, ID: a.String("queue_id"), Last: a.Int("last_event_id"), Start: a}
}

// Wait polls, and waits if there are no events yet. It acknowledges the events taken before, but takes none.
func (q *Queue) Wait(params ...string) *Response {
	q.s.T.Helper()
	return q.Do(
		"GET /events",
		append([]string{"queue_id", q.ID, "last_event_id", strconv.FormatInt(q.Last, 10)}, params...)...)
}

// Poll is like Wait, but does not wait.
func (q *Queue) Poll(params ...string) *Response {
	q.s.T.Helper()
	return q.Wait(append([]string{"dont_block", "true"}, params...)...)
}

// Take polls and takes the events returned, which the next poll acknowledges. It checks that they are sorted by ID.
func (q *Queue) Take() *Response {
	q.s.T.Helper()
	a := q.Poll().OK()
	var res struct {
		Events []struct {
			ID int64 `json:"id"`
		} `json:"events"`
	}
	a.JSON(&res)
	for _, e := range res.Events {
		if e.ID <= q.Last {
			q.s.T.Fatalf("%s: event %d follows %d: %s", a.Call, e.ID, q.Last, a.Body)
		}
		q.Last = e.ID
	}
	return a
}

// Next takes the events and returns them without their IDs, as decoded by encoding/json.
func (q *Queue) Next() []map[string]any {
	q.s.T.Helper()
	var res struct {
		Events []map[string]any `json:"events"`
	}
	q.Take().JSON(&res)
	for _, e := range res.Events {
		delete(e, "id")
	}
	return res.Events
}

// Texts takes the events and returns each as JSON with sorted keys and without its ID.
func (q *Queue) Texts() []string {
	q.s.T.Helper()
	texts := []string{}
	for _, e := range q.Next() {
		texts = append(texts, JSON(e))
	}
	return texts
}

// Is takes the events and checks that they are exactly those given, as JSON without IDs. The string "*" matches any
// value.
func (q *Queue) Is(want ...string) {
	q.s.T.Helper()
	all := q.Take()
	var res struct {
		Events []map[string]json.RawMessage `json:"events"`
	}
	all.JSON(&res)
	for _, e := range res.Events {
		delete(e, "id")
	}
	all.Call, all.Body = "events of "+q.email, JSON(append([]map[string]json.RawMessage{}, res.Events...))
	all.Is(http.StatusOK, "["+strings.Join(want, ",")+"]")
}

// Close deletes the queue.
func (q *Queue) Close() {
	q.s.T.Helper()
	q.Do("DELETE /events", "queue_id", q.ID).OK()
}
