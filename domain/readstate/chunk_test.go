package readstate_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/stoachat/stoa/domain/idset"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/readstate"
)

// IDs are untrusted input and can have any value.
func TestChunksOfAnyIDs(t *testing.T) {
	for _, c := range []struct {
		ids  []message.ID
		want string // chunk:number of its IDs
	}{
		{nil, ""},
		{[]message.ID{1, 2, 65535, 65536, 65537, 131072}, "0:3 1:2 2:1 "},
		{[]message.ID{math.MinInt64, -5, 0, math.MaxInt64 - 1, math.MaxInt64},
			"-140737488355328:1 -1:1 0:1 140737488355327:2 "},
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

// The chunks of a change are those whose content differs.
func TestChunksOfChange(t *testing.T) {
	a := readstate.State{Floor: 200_000, Unread: readstate.IDs{1, 70_000, 140_000}, Read: readstate.IDs{200_001, 400_000}}
	for _, c := range []struct {
		name string
		now  readstate.State
		want []readstate.Chunk
	}{
		{"nothing", a, nil},
		{"the floor only", readstate.State{Floor: 200_001, Unread: a.Unread, Read: a.Read}, nil},
		{"one read", readstate.State{Unread: readstate.IDs{1, 140_000}, Read: a.Read}, []readstate.Chunk{1}},
		{"one more unread", readstate.State{Unread: readstate.IDs{1, 2, 70_000, 140_000}, Read: a.Read},
			[]readstate.Chunk{0}},
		{"replaced by another", readstate.State{Unread: readstate.IDs{1, 70_000, 140_001}, Read: a.Read},
			[]readstate.Chunk{2}},
		{"from read to unread", readstate.State{Unread: append(slices.Clone(a.Unread), 200_001),
			Read: readstate.IDs{400_000}}, []readstate.Chunk{3}},
		{"all", readstate.State{}, []readstate.Chunk{0, 1, 2, 3, 6}},
	} {
		if got := a.Chunks(&c.now); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
		if got := c.now.Chunks(&a); !slices.Equal(got, c.want) {
			t.Errorf("%s, undone: %v, want %v", c.name, got, c.want)
		}
	}
}
