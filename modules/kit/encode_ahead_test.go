package kit_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/stoachat/stoa/modules/kit"
)

type panicking struct{ rawJSON }

func (panicking) AppendJSON([]byte) ([]byte, error) { panic("no such record") }

// The result is the same whether the goroutine or the sender encodes a value.
func TestAhead(t *testing.T) {
	for _, c := range []struct {
		own        kit.Encoded
		want, fail string
	}{
		{rawJSON(`[1, 2]`), `{"x":[1, 2]}`, ""},
		{rawJSON(""), "", "nothing to write"},
		{panicking{}, "", "panic: no such record"},
	} {
		for _, first := range []string{"goroutine", "sender", "any"} {
			synctest.Test(t, func(t *testing.T) {
				ctx, end := context.WithCancel(t.Context())
				defer end()
				if first == "sender" {
					end()
				}
				answer := kit.Object{"x": kit.EncodeAhead(ctx)(c.own)}
				if first != "any" {
					synctest.Wait()
				}
				for range 2 {
					got, err := answer.AppendJSON(nil)
					if string(got) != c.want || c.fail == "" && err != nil || c.fail != "" && (err == nil || err.Error() != c.fail) {
						t.Errorf("%T, the %s first: %s, %v", c.own, first, got, err)
					}
				}
			})
		}
	}
	if a := kit.EncodeAhead(t.Context())(rawJSON("12345")); a.Size() != 5 {
		t.Errorf("size %d", a.Size())
	}
}

// blocking is a value whose encoding blocks until it can receive from release.
type blocking struct {
	n       int
	started chan<- int
	release <-chan struct{}
}

func (blocking) Size() int { return 1 }

func (s blocking) AppendJSON(b []byte) ([]byte, error) {
	s.started <- s.n
	<-s.release
	return fmt.Append(b, s.n), nil
}

// EncodeAhead uses one goroutine per response, which ends with the request. The sender encodes the remaining values.
func TestAheadStopsWithRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // fails if a goroutine is left
		started, release := make(chan int, 10), make(chan struct{})
		ctx, end := context.WithCancel(t.Context())
		ahead := kit.EncodeAhead(ctx)
		var all []kit.Encoded
		for n := range 4 {
			all = append(all, ahead(blocking{n, started, release}))
		}
		expectStarted := func(want ...int) {
			t.Helper()
			synctest.Wait()
			var got []int
			for len(started) > 0 {
				got = append(got, <-started)
			}
			if !slices.Equal(got, want) {
				t.Errorf("started %v, want %v", got, want)
			}
		}
		expectStarted(0)
		release <- struct{}{}
		expectStarted(1)
		end()
		release <- struct{}{}
		expectStarted()
		close(release)
		all = append(all, ahead(blocking{4, started, release}))
		expectStarted()
		var text []byte
		for _, one := range all {
			var err error
			if text, err = one.AppendJSON(text); err != nil {
				t.Fatal(err)
			}
		}
		if string(text) != "01234" {
			t.Errorf("%s", text)
		}
		expectStarted(2, 3, 4)
	})
}

// Values that are queued after the goroutine has ended are encoded ahead, too.
func TestAheadRestarts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		started, release := make(chan int, 10), make(chan struct{})
		close(release)
		ahead := kit.EncodeAhead(t.Context())
		for n := range 2 {
			ahead(blocking{n, started, release})
			synctest.Wait()
			if len(started) != n+1 {
				t.Fatalf("%d started", len(started))
			}
		}
	})
}
