package kittest

import (
	"context"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/kit/openapi"
	"github.com/stoachat/stoa/ports"
)

// witnessed returns an endpoint that fails the test if a success causes an event that its description does not list.
func (s *Server) witnessed(e kit.Endpoint) kit.Endpoint {
	if e.Call == nil {
		return e
	}
	id, call := openapi.OperationID(e), e.Call
	e.Call = func(ctx context.Context, a kit.Actor, bind func(req any) error) (any, error) {
		var seen witness
		res, err := call(ports.WithWitness(ctx, seen.add), a, bind)
		if err == nil {
			s.checkCauses(id, seen.all())
		}
		return res, err
	}
	return e
}

// checkCauses compares the events of a request with those that the description of the operation lists.
func (s *Server) checkCauses(id string, events []string) {
	for _, event := range events {
		if folder := os.Getenv(recordsTo); folder != "" {
			s.must("record an event", responses.write(folder, id+" "+event, Recording{ID: id, Events: []string{event}}, 1))
		}
		if text := s.checker().Cause(id, event); text != "" && !s.options.RandomCalls {
			s.T.Errorf("the description of the API differs: %s", text)
		}
	}
}

// witness collects the kinds of the events of a request, which may use several goroutines.
type witness struct {
	mu    sync.Mutex
	kinds map[string]bool
}

func (w *witness) add(typ, op string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.kinds == nil {
		w.kinds = map[string]bool{}
	}
	w.kinds[strings.TrimSuffix(typ+"/"+op, "/")] = true
}

func (w *witness) all() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Sorted(maps.Keys(w.kinds))
}
