package kernel

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/ports"
)

// TestTake checks which intents take returns: the order of kinds, Max, OwnTx, the batch's size, and each user's share.
func TestTake(t *testing.T) {
	k := New(Options{Clock: &clock{}})
	a, b, few := &ports.IntentKind{Name: "a", Order: 2}, &ports.IntentKind{Name: "b", Order: 1},
		&ports.IntentKind{Name: "few", Max: 2}
	cut := func(queue ...*queuedIntent) string {
		w := &writer{k: k, queue: queue}
		var out []string
		for len(w.queue) > 0 {
			list := w.take()
			if len(list) == 0 && len(w.queue) > 0 {
				t.Fatal("nothing taken")
			}
			var names []string
			for _, g := range groupByKind(list) {
				for _, in := range g {
					names = append(names, in.Value.(string))
				}
			}
			out = append(out, strings.Join(names, " "))
		}
		return strings.Join(out, " | ")
	}
	in := func(name string, kind *ports.IntentKind, by user.ID, size int, alone bool) *queuedIntent {
		return &queuedIntent{ctx: bg, by: by, intent: &ports.Intent{Kind: kind, Value: name, Size: size, OwnTx: alone}}
	}
	many := func(name string, by user.ID, n int) (out []*queuedIntent) {
		for i := range n {
			out = append(out, in(fmt.Sprint(name, i), a, by, 1, false))
		}
		return out
	}
	for _, c := range []struct {
		name  string
		queue []*queuedIntent
		want  string
	}{
		{"kinds in order", []*queuedIntent{in("1", a, 1, 1, false), in("2", b, 2, 1, false), in("3", a, 3, 1, false),
			in("4", b, 4, 1, false)}, "2 4 1 3"},
		{"max of a kind", []*queuedIntent{in("1", few, 1, 1, false), in("2", few, 2, 1, false), in("3", few, 3, 1, false),
			in("4", a, 4, 1, false), in("5", a, 3, 1, false)}, "1 2 4 | 3 5"},
		{"alone", []*queuedIntent{in("1", a, 1, 1, false), in("2", a, 1, 1, true), in("3", a, 1, 1, false)}, "1 | 2 | 3"},
		{"size", []*queuedIntent{in("1", a, 1, maxBatchSize-1, false), in("2", a, 1, 2, false), in("3", a, 1, 1, false)},
			"1 | 2 3"},
		{"larger than a batch", []*queuedIntent{in("1", a, 1, maxBatchSize+1, false), in("2", a, 1, 2, false)}, "1 | 2"},
	} {
		if got := cut(c.queue...); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
	if got := strings.Split(cut(append(many("x", 1, 40), many("y", 2, 3)...)...), " | "); len(got) != 2 ||
		strings.Count(got[0], "x") != 32 || strings.Count(got[0], "y") != 3 {
		t.Errorf("a crowd: %v", got)
	}
	if got := strings.Split(cut(many("x", 1, 300)...), " | "); len(got) != 2 || strings.Count(got[0], "x") != maxBatch {
		t.Errorf("a single user: %v", got)
	}
}
