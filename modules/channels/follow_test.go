package channels_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
)

// follower is a client that updates its state from events, starting with /register. The state is compared with a later
// /register. Inconsistent events fail the test, such as a channel that is created twice or deleted without having
// existed.
type follower struct {
	who    string
	params []string
	queue  *kittest.Queue
	kinds  []string // kinds of the events since the last poll
	state  clientState
}

// clientState is a client's state of channels and subscriptions.
type clientState struct {
	Streams     map[int64]map[string]any // records without subscribers
	Subscribers map[int64][]int64
	Mine        map[int64]bool
	Defaults    []int64
	Groups      []any
	Folders     []any
}

// followers contains a modern client for each of several users, and legacy clients for alice and guest.
type followers struct {
	s   *kittest.Server
	all []*follower
}

func follow(s *kittest.Server) *followers {
	s.T.Helper()
	fs := &followers{s: s}
	for _, who := range []string{"alice", "bob", "olga", "adam", "mona", "guest", "bot"} {
		fs.all = append(fs.all, fs.begin(who, "client_capabilities", modern))
	}
	for _, who := range []string{"alice", "mona", "guest"} {
		fs.all = append(fs.all, fs.begin(who, "client_capabilities", `{"notification_settings_null":true}`))
	}
	return fs
}

func (fs *followers) begin(who string, params ...string) *follower {
	fs.s.T.Helper()
	f := &follower{who: who, params: append(params, "include_subscribers", "true", "queue_lifespan_secs", "604800",
		"event_types",
		`["stream","subscription","default_streams","default_stream_groups","channel_folders","channel_folder"]`)}
	f.queue, f.state = fs.register(f)
	return f
}

func (fs *followers) register(f *follower) (q *kittest.Queue, p clientState) {
	fs.s.T.Helper()
	q = fs.s.As(f.who).Register(f.params...)
	var res struct {
		Streams         []map[string]any `json:"streams"`
		Subscriptions   []map[string]any `json:"subscriptions"`
		Unsubscribed    []map[string]any `json:"unsubscribed"`
		NeverSubscribed []map[string]any `json:"never_subscribed"`
		Defaults        []int64          `json:"realm_default_streams"`
		Groups          []any            `json:"realm_default_stream_groups"`
		Folders         []any            `json:"channel_folders"`
	}
	q.Start.JSON(&res)
	p = clientState{Streams: map[int64]map[string]any{}, Subscribers: map[int64][]int64{}, Mine: map[int64]bool{},
		Defaults: res.Defaults, Groups: res.Groups, Folders: res.Folders}
	for _, c := range res.Streams {
		p.Streams[number(c["stream_id"])] = c
	}
	for _, c := range slices.Concat(res.Subscriptions, res.Unsubscribed, res.NeverSubscribed) {
		p.Subscribers[number(c["stream_id"])] = numbers(c["subscribers"])
	}
	for _, c := range res.Subscriptions {
		p.Mine[number(c["stream_id"])] = true
	}
	return q, p
}

func numbers(v any) []int64 {
	list, _ := v.([]any)
	out := make([]int64, len(list))
	for i, x := range list {
		out[i] = number(x)
	}
	slices.Sort(out)
	return out
}

// poll polls all clients, compares their state with /register, and returns the kinds of events that each received.
func (fs *followers) poll() map[string]string {
	fs.s.T.Helper()
	received := map[string]string{}
	for _, f := range fs.all {
		f.kinds = nil
		for _, e := range f.queue.Next() {
			if err := f.state.apply(e, fs.s.UserID(f.who)); err != nil {
				fs.s.T.Errorf("%s %v cannot apply %v: %v", f.who, f.params[1], e, err)
			}
			f.kinds = append(f.kinds, kindOf(e))
		}
		now, want := fs.register(f)
		now.Close()
		if d := difference(f.state, want); d != "" {
			fs.s.T.Errorf("%s %v, who received %v, has\n%s", f.who, f.params[1], f.kinds, d)
			f.state = want
		}
		if len(f.kinds) > 0 && f.params[1] == modern {
			received[f.who] = strings.Join(f.kinds, " ")
		}
	}
	return received
}

func kindOf(e map[string]any) string {
	kind := strings.TrimSuffix(fmt.Sprintf("%v/%v", e["type"], e["op"]), "/<nil>")
	if p, ok := e["property"]; ok {
		kind += fmt.Sprintf(":%v", p)
	}
	return kind
}

// expect compares the received events with lines of the form "who: kinds"; all others must have received none.
func (fs *followers) expect(want ...string) {
	fs.s.T.Helper()
	var got []string
	for who, kinds := range fs.poll() {
		got = append(got, who+": "+kinds)
	}
	sort.Strings(got)
	sort.Strings(want)
	if !slices.Equal(got, want) {
		fs.s.T.Errorf("received\n\t%s\nwant\n\t%s", strings.Join(got, "\n\t"), strings.Join(want, "\n\t"))
	}
}

func (p *clientState) apply(e map[string]any, me any) error {
	self := number(json.Number(fmt.Sprint(me)))
	switch kind, _, _ := strings.Cut(kindOf(e), ":"); kind {
	case "stream/create":
		for _, x := range e["streams"].([]any) {
			c := x.(map[string]any)
			id := number(c["stream_id"])
			if p.Streams[id] != nil {
				return fmt.Errorf("channel %d is there already", id)
			}
			p.Streams[id], p.Subscribers[id] = c, []int64{}
		}
	case "stream/delete":
		for _, id := range numbers(e["stream_ids"]) {
			if p.Streams[id] == nil {
				return fmt.Errorf("channel %d is not there", id)
			}
			delete(p.Streams, id)
			delete(p.Subscribers, id)
			delete(p.Mine, id)
		}
	case "stream/update":
		c := p.Streams[number(e["stream_id"])]
		if c == nil {
			return fmt.Errorf("channel %v is not there", e["stream_id"])
		}
		c[e["property"].(string)] = e["value"]
		for _, more := range []string{"rendered_description", "history_public_to_subscribers", "is_web_public"} {
			if x, ok := e[more]; ok {
				c[more] = x
			}
		}
	case "subscription/add":
		for _, x := range e["subscriptions"].([]any) {
			c := x.(map[string]any)
			id := number(c["stream_id"])
			if p.Streams[id] == nil || p.Mine[id] {
				return fmt.Errorf("channel %d is not there, or subscribed already", id)
			}
			p.Mine[id], p.Subscribers[id] = true, numbers(c["subscribers"])
			p.Streams[id]["subscriber_count"] = c["subscriber_count"]
		}
	case "subscription/remove":
		for _, x := range e["subscriptions"].([]any) {
			id := number(x.(map[string]any)["stream_id"])
			if !p.Mine[id] {
				return fmt.Errorf("channel %d is not subscribed", id)
			}
			delete(p.Mine, id)
			p.Subscribers[id] = slices.DeleteFunc(p.Subscribers[id], func(u int64) bool { return u == self })
			p.count(id, -1)
		}
	case "subscription/peer_add", "subscription/peer_remove":
		for _, id := range numbers(e["stream_ids"]) {
			if p.Streams[id] == nil {
				return fmt.Errorf("channel %d is not there", id)
			}
			for _, u := range numbers(e["user_ids"]) {
				had := slices.Contains(p.Subscribers[id], u)
				switch {
				case kind == "subscription/peer_add" && !had:
					p.count(id, 1)
					p.Subscribers[id] = append(p.Subscribers[id], u)
					slices.Sort(p.Subscribers[id])
				case kind == "subscription/peer_remove" && had:
					p.count(id, -1)
					p.Subscribers[id] = slices.DeleteFunc(p.Subscribers[id], func(x int64) bool { return x == u })
				default:
					return fmt.Errorf("user %d of channel %d", u, id)
				}
			}
		}
	case "default_streams":
		p.Defaults = numbers(e["default_streams"])
	case "default_stream_groups":
		p.Groups = e["default_stream_groups"].([]any)
	}
	return nil
}

// count updates subscriber_count, as clients without subscriber lists do.
func (p *clientState) count(id, by int64) {
	p.Streams[id]["subscriber_count"] = float64(number(p.Streams[id]["subscriber_count"]) + by)
}

// difference describes the difference between two states, or returns "". Traffic is ignored, since it has no events.
func difference(got, want clientState) string {
	var b strings.Builder
	differ := func(what string, got, want any) {
		g, _ := json.Marshal(got)
		w, _ := json.Marshal(want)
		if string(g) != string(w) {
			fmt.Fprintf(&b, "%s: %s\n   is: %s\n", what, g, w)
		}
	}
	ids := maps.Clone(got.Streams)
	maps.Copy(ids, want.Streams)
	for _, id := range slices.Sorted(maps.Keys(ids)) {
		g, w := maps.Clone(got.Streams[id]), maps.Clone(want.Streams[id])
		delete(g, "stream_weekly_traffic")
		delete(w, "stream_weekly_traffic")
		differ(fmt.Sprintf("channel %d", id), g, w)
		differ(fmt.Sprintf("subscribers of %d", id), got.Subscribers[id], want.Subscribers[id])
		differ(fmt.Sprintf("subscribing to %d", id), got.Mine[id], want.Mine[id])
	}
	differ("default channels", got.Defaults, want.Defaults)
	differ("default groups", got.Groups, want.Groups)
	return b.String()
}

// TestFollower checks that a follower detects errors.
func TestFollower(t *testing.T) {
	p := clientState{Streams: map[int64]map[string]any{1: {"name": "a"}}, Subscribers: map[int64][]int64{1: {7}},
		Mine: map[int64]bool{}}
	for _, e := range []map[string]any{
		{"type": "stream", "op": "delete", "stream_ids": []any{json.Number("2")}},
		{"type": "stream", "op": "create", "streams": []any{map[string]any{"stream_id": json.Number("1")}}},
		{"type": "stream", "op": "update", "stream_id": json.Number("2"), "property": "name", "value": "x"},
		{"type": "subscription", "op": "peer_add", "stream_ids": []any{json.Number("1")},
			"user_ids": []any{json.Number("7")}},
		{"type": "subscription", "op": "remove", "subscriptions": []any{map[string]any{"stream_id": json.Number("1")}}},
	} {
		if p.apply(e, 7) == nil {
			t.Errorf("%v is taken", e)
		}
	}
	other := clientState{Streams: map[int64]map[string]any{1: {"name": "b"}}, Subscribers: map[int64][]int64{1: {7}},
		Mine: map[int64]bool{}}
	if difference(p, other) == "" || difference(p, p) != "" {
		t.Error("the comparison found no difference")
	}
}
