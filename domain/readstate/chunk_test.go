package readstate_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stoachat/stoa/domain/idset"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/readstate"
)

// Ids come from outside: there may be any.
func TestChunksOfAnyIDs(t *testing.T) {
	for _, c := range []struct {
		ids  []message.ID
		want string // chunk:how many of its ids
	}{
		{nil, ""},
		{[]message.ID{1, 2, 65535, 65536, 65537, 131072}, "0:3 1:2 2:1 "},
		{[]message.ID{math.MinInt64, -5, 0, math.MaxInt64 - 1, math.MaxInt64}, "-140737488355328:1 -1:1 0:1 140737488355327:2 "},
	} {
		ids, got := idset.Of(c.ids...), ""
		for _, n := range readstate.Chunks(ids) {
			got += fmt.Sprintf("%d:%d ", n, len(n.Cut(ids)))
		}
		if got != c.want {
			t.Errorf("%v: %s, want %s", c.ids, got, c.want)
		}
	}
}
