package kit_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/stoachat/stoa/modules/kit"
)

type broken struct{ written }

func (broken) AppendJSON([]byte) ([]byte, error) { panic("no such record") }

// The encoded text is the same whether the goroutine or the sender encodes it.
func TestAhead(t *testing.T) {
	for _, c := range []struct {
		own        kit.Encoded
		want, fail string
	}{
		{written(`[1, 2]`), `{"x":[1, 2]}`, ""},
		{written(""), "", "nothing to write"},
		{broken{}, "", "panic: no such record"},
	} {
		for _, first := range []string{"goroutine", "sender", "any"} {
			synctest.Test(t, func(t *testing.T) {
				ctx, end := context.WithCancel(t.Context())
				defer end()
				if first == "sender" {
					end()
				}
				answer := kit.Object{"x": kit.Ahead(ctx)(c.own)}
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
	if a := kit.Ahead(t.Context())(written("12345")); a.Size() != 5 {
		t.Errorf("size %d", a.Size())
	}
}

// slow is a value whose encoding blocks until it is released.
type slow struct {
	n     int
	begun chan<- int
	let   <-chan struct{}
}

func (slow) Size() int { return 1 }

func (s slow) AppendJSON(b []byte) ([]byte, error) {
	s.begun <- s.n
	<-s.let
	return fmt.Append(b, s.n), nil
}

// Encoding ahead uses one goroutine per answer, which ends with the request; the sender encodes the remaining parts.
func TestAheadEndsWithItsRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // fails if a goroutine is left
		begun, let := make(chan int, 10), make(chan struct{})
		ctx, end := context.WithCancel(t.Context())
		ahead := kit.Ahead(ctx)
		var all []kit.Encoded
		for n := range 4 {
			all = append(all, ahead(slow{n, begun, let}))
		}
		are := func(want ...int) {
			t.Helper()
			synctest.Wait()
			var got []int
			for len(begun) > 0 {
				got = append(got, <-begun)
			}
			if !slices.Equal(got, want) {
				t.Errorf("begun %v, want %v", got, want)
			}
		}
		are(0)
		let <- struct{}{}
		are(1)
		end()
		let <- struct{}{}
		are()
		close(let)
		all = append(all, ahead(slow{4, begun, let}))
		are()
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
		are(2, 3, 4)
	})
}

// Parts added after a pause are encoded ahead, too.
func TestAheadBeginsAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun, let := make(chan int, 10), make(chan struct{})
		close(let)
		ahead := kit.Ahead(t.Context())
		for n := range 2 {
			ahead(slow{n, begun, let})
			synctest.Wait()
			if len(begun) != n+1 {
				t.Fatalf("%d are begun", len(begun))
			}
		}
	})
}
