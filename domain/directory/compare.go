package directory

import (
	"encoding/json"
	"fmt"
	"reflect"
	"time"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/user"
)

// Differences names the facts in which two views of a realm differ, such as "user 17". It compares records by their
// JSON, in which they are logged. What is empty is the same as what is missing.
func (v *View) Differences(o *View) []string {
	var out []string
	if !same(v.realm, o.realm) {
		out = append(out, "the organization")
	}
	out = differences(out, "user", v.users, o.users, func(e entry[user.User]) any { return e.record })
	out = differences(out, "group", v.groups, o.groups, nil)
	out = differences(out, "channel", v.channels, o.channels, func(e entry[channel.Channel]) any { return e.record })
	out = differences(out, "subscribers of channel", v.subscribers, o.subscribers, nil)
	out = differences(out, "muted users of user", v.muted, o.muted, nil)
	out = differences(out, "session", v.sessions, o.sessions, nil)
	if v.sessionsEnded != o.sessionsEnded {
		out = append(out, "the last session that ended")
	}
	for _, f := range v.facts {
		if !same(f.state, o.fact(f.of)) {
			out = append(out, f.of.Key())
		}
	}
	return out
}

// fact returns the state of a slot.
func (v *View) fact(of AnySlot) any {
	for _, f := range v.facts {
		if f.of == of {
			return f.state
		}
	}
	return of.empty()
}

// differences appends the keys of which two maps have different values. record returns what is compared; nil: the
// value.
func differences[K ~int64, V any](out []string, what string, a, b intMap[K, V], record func(V) any) []string {
	if record == nil {
		record = func(v V) any { return v }
	}
	for k, x := range a.all() {
		y, _ := b.get(k)
		if !same(record(x), record(y)) {
			out = append(out, fmt.Sprint(what, " ", k))
		}
	}
	for k, y := range b.all() {
		if _, both := a.get(k); !both && !same(nil, record(y)) {
			out = append(out, fmt.Sprint(what, " ", k))
		}
	}
	return out
}

// same reports whether two records have the same JSON. Settings that are zero in the second one are ignored: an entry
// of an older version does not contain settings that were added since.
func same(a, b any) bool {
	x, y := plain(a), plain(b)
	now, ok := x.(map[string]any)
	logged, both := y.(map[string]any)
	if ok && both {
		ignoreNew(now["settings"], logged["settings"])
	}
	return reflect.DeepEqual(x, y)
}

// ignoreNew removes from settings, and from those in the log, what is zero in the latter.
func ignoreNew(now, logged any) {
	n, _ := now.(map[string]any)
	l, _ := logged.(map[string]any)
	for key := range n {
		if v := l[key]; v == nil || reflect.ValueOf(v).IsZero() {
			delete(n, key)
			delete(l, key)
		}
	}
}

// plain returns what the JSON of a record decodes to, without what is empty.
func plain(v any) any {
	text, err := json.Marshal(v)
	if err != nil {
		return v
	}
	var out any
	if err := json.Unmarshal(text, &out); err != nil {
		return v
	}
	return pruned(out)
}

// pruned returns a value without what is empty in it, or nil if nothing is left. It shortens times to microseconds,
// with which databases store them.
func pruned(v any) any {
	switch v := v.(type) {
	case string:
		if at, err := time.Parse(time.RFC3339Nano, v); err == nil {
			return at.UTC().Truncate(time.Microsecond)
		}
	case map[string]any:
		for key, x := range v {
			if v[key] = pruned(x); v[key] == nil {
				delete(v, key)
			}
		}
		if len(v) == 0 {
			return nil
		}
	case []any:
		for i := range v {
			v[i] = pruned(v[i])
		}
		if len(v) == 0 {
			return nil
		}
	}
	return v
}
