package kernel

import (
	"context"
	"strings"
	"testing"

	"github.com/stoachat/stoa/app/kittest/testrun"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

// A realm's parts are read on two connections concurrently. In this test, the first part can be read only after the
// second.
func TestConcurrentReaders(t *testing.T) {
	n := newCluster(t).node()
	other := make(chan struct{})
	whole := n.parts[0].Load
	n.parts = []directory.Part{
		{Name: "first", Load: func(ctx context.Context, r realm.ID, b *directory.Builder) error {
			select {
			case <-other:
				return whole(ctx, r, b)
			case <-ctx.Done():
				return ctx.Err()
			}
		}},
		{Name: "second", Load: func(_ context.Context, _ realm.ID, b *directory.Builder) error {
			b.User(&user.User{ID: 77, FullName: "from another part", Active: true})
			close(other)
			return nil
		}},
	}
	ctx, cancel := context.WithTimeout(t.Context(), testrun.Patience)
	defer cancel()
	v, err := n.View(ctx, 1)
	n.must(err)
	if v.User(77) == nil || v.Realm() == nil {
		t.Error("the view lacks what both readers have read")
	}
}

// The helper reads nothing if an entry was committed after the first reader began, if another build is being helped, or
// if no connection is free.
func TestHelp(t *testing.T) {
	bg := t.Context()
	n := newCluster(t).node()
	n.must(n.put(bg, 1, 3, named("Anna")))
	_, at, err := n.readerOf(t, 1)
	n.must(err)
	read := func(wait context.Context) string {
		l := n.newLoader(1)
		n.must(l.help(wait, bg, at))
		if l.next.Load() == 0 {
			return "nothing"
		}
		v, err := l.view(bg, int64(at.Seq))
		n.must(err)
		return v.User(3).FullName
	}
	over, cancel := context.WithCancel(bg)
	cancel()
	if got := read(bg); got != "Anna" {
		t.Errorf("without a commit in between: %s", got)
	}
	if got := read(over); got != "nothing" {
		t.Errorf("after the wait: %s", got)
	}
	n.helping.Lock()
	if got := read(bg); got != "nothing" {
		t.Errorf("while another build is helped: %s", got)
	}
	n.helping.Unlock()
	n.must(n.put(bg, 1, 3, named("Berta")))
	if got := read(bg); got != "nothing" {
		t.Errorf("after a commit: %s", got)
	}
}

func (n *node) readerOf(t *testing.T, r realm.ID) (*reader, head, error) {
	first, at, err := n.reader(t.Context(), t.Context(), r)
	if err == nil {
		t.Cleanup(first.end)
	}
	return first, at, err
}

// A part that panics fails the build on either connection, and the next request builds again.
func TestBuildFails(t *testing.T) {
	n := newCluster(t).node()
	faults := 1
	n.parts = append([]directory.Part{{Name: "faulty", Load: func(context.Context, realm.ID, *directory.Builder) error {
		if faults--; faults >= 0 {
			panic("no such part")
		}
		return nil
	}}}, n.parts...)
	if _, err := n.View(t.Context(), 1); err == nil || !strings.Contains(err.Error(), "no such part") {
		t.Errorf("the build returned %v", err)
	}
	if _, err := n.View(t.Context(), 1); err != nil {
		t.Errorf("asked again: %v", err)
	}
}
