package events

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/modules/kit"
)

// slow is a large part of a response that blocks while it is encoded.
type slow struct {
	begun *atomic.Int32
	let   chan struct{}
}

func (slow) Size() int { return large + 1 }

func (s slow) AppendJSON(b []byte) ([]byte, error) {
	s.begun.Add(1)
	<-s.let
	return append(b, `[]`...), nil
}

// If a registration fails while large parts of its response are pending, only the part that is being encoded is
// completed.
func TestRefusedRegisterEncodesNoMore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		part := slow{new(atomic.Int32), make(chan struct{})}
		type parts struct {
			A slow `json:"a"`
			B slow `json:"b"`
			C slow `json:"c"`
		}
		broken := errors.New("the database is gone")
		n := newFakeKernel(6).start(t, nil,
			kit.Register("large", func(context.Context, kit.Actor, event.Client) (parts, error) {
				return parts{part, part, part}, nil
			}),
			kit.Register("broken", func(context.Context, kit.Actor, event.Client) (parts, error) {
				synctest.Wait()
				return parts{}, broken
			}))
		ctx, end := context.WithCancel(t.Context())
		if _, err := n.register(ctx, kit.Actor{Realm: 1, User: 1}, registerReq{}); !errors.Is(err, broken) {
			t.Fatal(err)
		}
		end() // as at the end of a request
		close(part.let)
		synctest.Wait()
		if n := part.begun.Load(); n != 1 {
			t.Errorf("encoding of %d parts was started", n)
		}
	})
}

// Requests with invalid parameters are rejected before anything is read.
func TestRefusedRegisterReadsNothing(t *testing.T) {
	w := newFakeKernel(6)
	var loaded int
	section := kit.Register("any", func(context.Context, kit.Actor, event.Client) (map[string]int, error) {
		loaded++
		return nil, nil
	})
	n := w.start(t, nil, section.Spectators())
	for name, c := range map[string]struct {
		by kit.Actor
		in registerReq
	}{
		"a parameter":              {kit.Actor{Realm: 1, User: 1}, registerReq{IdleQueueTimeout: ptr("soon")}},
		"a guest listens":          {kit.Actor{Realm: 1, User: 5}, registerReq{AllPublicStreams: ptr(true)}},
		"nobody":                   {kit.Actor{Realm: 1, User: 99}, registerReq{}},
		"a spectator listens":      {kit.Actor{Realm: 1}, registerReq{AllPublicStreams: ptr(true)}},
		"a spectator's parameters": {kit.Actor{Realm: 1}, registerReq{IncludeSubscribers: ptr("true")}},
	} {
		if _, err := n.register(t.Context(), c.by, c.in); err == nil || loaded > 0 {
			t.Errorf("%s: %v, and %d sections were read", name, err, loaded)
		}
	}
}
