package directory_test

import (
	"errors"
	"testing"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/user"
)

func TestRecall(t *testing.T) {
	always, never := func(*string) bool { return true }, func(*string) bool { return false }
	asked := 0
	recall := func(m *directory.Memo, holds func(*string) bool, work string) string {
		t.Helper()
		got, err := directory.Recall(m, holds, func() (*string, error) { asked++; return &work, nil })
		if err != nil {
			t.Fatal(err)
		}
		return *got
	}
	var b directory.Builder
	ann, ben := &user.User{ID: 1, FullName: "Ann", Active: true}, &user.User{ID: 2, FullName: "Ben", Active: true}
	b.User(ann)
	b.User(ben)
	b.Channel(&channel.Channel{ID: 5, Name: "five"})
	old := b.View(1)
	for i, step := range []struct {
		memo  *directory.Memo
		holds func(*string) bool
		work  string
		want  string
		asked int
	}{
		{old.UserMemo(1), always, "a", "a", 1},
		{old.UserMemo(1), always, "b", "a", 1},
		{old.UserMemo(2), always, "c", "c", 2},
		{old.UserMemo(1), never, "d", "d", 3},
		{old.UserMemo(1), always, "e", "d", 3},
		{old.ChannelMemo(5), always, "f", "f", 4},
		{old.UserMemo(3), always, "g", "g", 5},
		{old.UserMemo(3), always, "h", "h", 6}, // no such user, so nothing is cached
	} {
		if got := recall(step.memo, step.holds, step.work); got != step.want || asked != step.asked {
			t.Errorf("step %d: %s after %d computations", i, got, asked)
		}
	}
	// A cached value is not returned for another type.
	if n, err := directory.Recall(old.UserMemo(1), func(*int) bool { return true },
		func() (*int, error) { return new(int), nil }); *n != 0 || err != nil {
		t.Errorf("%d, %v", *n, err)
	}
	recall(old.UserMemo(1), never, "d")
	if _, err := directory.Recall(old.UserMemo(1), never,
		func() (*string, error) { return nil, errors.New("broken") }); err == nil {
		t.Error("the error was lost")
	}
	if got := recall(old.UserMemo(1), always, "x"); got != "d" {
		t.Errorf("an error was cached: %s", got)
	}

	renamed, busy := *ben, 7
	renamed.FullName = "Benjamin"
	v := old.Apply(2, directory.OfUser(ben, &renamed)).Apply(3,
		directory.Change{Traffic: []directory.Traffic{{Channel: 5, New: &busy}}})
	for what, c := range map[string]struct {
		memo *directory.Memo
		want string
	}{
		"unchanged user":           {v.UserMemo(1), "d"},
		"changed user":             {v.UserMemo(2), "new"},
		"a channel":                {v.ChannelMemo(5), "new"},
		"before the change":        {old.UserMemo(2), "c"},
		"a channel before":         {old.ChannelMemo(5), "f"},
		"changed user, undone":     {v.Undo(2, directory.OfUser(ben, &renamed)).UserMemo(2), "new"},
		"another user, undone":     {v.Undo(2, directory.OfUser(ben, &renamed)).UserMemo(1), "d"},
		"the same at another time": {v.AsOf(9, v.Now()).UserMemo(1), "d"},
	} {
		if got := recall(c.memo, always, "new"); got != c.want {
			t.Errorf("%s: %s", what, got)
		}
	}
}
