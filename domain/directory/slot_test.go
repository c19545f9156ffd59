package directory_test

import (
	"encoding/json"
	"testing"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/emoji"
	"github.com/stoachat/stoa/domain/user"
)

// counted is an example of a module's slot: a sum.
var counted = directory.NewSlot("counted", func(sum, n int) int { return sum + n }, func(n int) int { return -n })

func TestSlot(t *testing.T) {
	var b directory.Builder
	counted.Put(&b, 5)
	v := b.View(1)
	next := v.Apply(2, counted.Change(3), counted.Change(4))
	for name, c := range map[string]struct {
		v    *directory.View
		want int
	}{
		"loaded": {v, 5}, "changed": {next, 12}, "undone": {next.Undo(2, counted.Change(3), counted.Change(4)), 5},
		"not loaded":             {directory.Empty(), 0},
		"changed but not loaded": {directory.Empty().Apply(1, counted.Change(2)), 2},
		"another slot's change":  {v.Apply(2, emoji.Change(nil, &emoji.Custom{ID: 1})), 5},
	} {
		if got := counted.In(c.v); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
	if n, ok := counted.Of(counted.Change(3)); n != 3 || !ok {
		t.Errorf("the change is %d, %v", n, ok)
	}
	if _, ok := counted.Of(directory.OfUser(nil, &user.User{})); ok {
		t.Error("a change of a user was applied to the slot")
	}
}

// The log stores changes of slots under their keys. A server without a slot ignores its changes.
func TestSlotInLog(t *testing.T) {
	changes := []directory.Change{
		counted.Change(3), emoji.Change(nil, &emoji.Custom{ID: 7, Name: "a<b"}), {Subs: &directory.Subs{Channel: 4}},
	}
	b, err := json.Marshal(changes)
	const want = `[{"counted":3},{"emoji":{"new":{"id":7,"name":"a\u003cb","source_url":"","author_id":0,` +
		`"deactivated":false}}},{"subs":{"channel":4}}]`
	if err != nil || string(b) != want {
		t.Fatalf("%s, %v; want %s", b, err, want)
	}
	var read []directory.Change
	if err := json.Unmarshal(b, &read); err != nil {
		t.Fatal(err)
	}
	if err := (directory.Slots{"counted": counted}).Resolve(read); err != nil {
		t.Fatal(err)
	}
	v := directory.Empty().Apply(1, read...)
	if n := counted.In(v); n != 3 {
		t.Errorf("the sum is %d", n)
	}
	if e := emoji.In(v).Get(7); e != nil {
		t.Errorf("an emoji without its slot: %v", e)
	}
	if n := counted.In(v.Undo(1, read...)); n != 0 {
		t.Errorf("after undoing, the sum is %d", n)
	}
	bad := []directory.Change{}
	if err := json.Unmarshal([]byte(`[{"counted":"x"}]`), &bad); err != nil {
		t.Fatal(err)
	}
	if err := (directory.Slots{"counted": counted}).Resolve(bad); err == nil {
		t.Error("a string was decoded as a number")
	}
}

func TestReserved(t *testing.T) {
	for key, want := range map[string]bool{"user": true, "subs": true, "sessions": true, "-": true, "": true,
		"emoji": false, "counted": false} {
		if directory.Reserved(key) != want {
			t.Errorf("%q is reserved: %v", key, !want)
		}
	}
}
