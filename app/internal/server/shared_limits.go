package server

import (
	"context"
	"encoding/json"
	"time"

	"github.com/stoachat/stoa/adapters/fiberhttp"
	"github.com/stoachat/stoa/app/internal/kernel"
	"github.com/stoachat/stoa/modules/kit"
)

const (
	limitsSubject = "limits"
	limitsEvery   = 500 * time.Millisecond
	maxLimitHints = 500 // at a time; in a flood, the other nodes are told of only a part
)

// limitJobs returns the job that tells the other nodes what requests to this one have taken from the limits that they
// share. On SQLite there are no other nodes.
func (s *Server) limitJobs() []kit.Job {
	if !s.db.Notifies() {
		return nil
	}
	return []kit.Job{{Name: "limits", Every: limitsEvery, Everywhere: true, Run: s.tellSpent}}
}

// tellSpent tells the other nodes, with as much in each hint as fits.
func (s *Server) tellSpent(ctx context.Context) error {
	var hints [][]byte
	for _, spent := range s.http.TakeSpent() {
		text, err := json.Marshal(spent)
		if err != nil {
			return err
		}
		if n := len(hints) - 1; n >= 0 && len(hints[n])+len(text)+2 <= kernel.MaxHint {
			hints[n] = append(append(hints[n], ','), text...)
		} else if len(hints) < maxLimitHints {
			hints = append(hints, append([]byte{'['}, text...))
		}
	}
	for _, hint := range hints {
		if err := s.kernel.Hint(ctx, limitsSubject, string(append(hint, ']'))); err != nil {
			return err
		}
	}
	return nil
}

// hearSpent takes from the limits of this node what another one has told. It ignores what it cannot read.
func (s *Server) hearSpent(text string) {
	var all []fiberhttp.Spent
	if json.Unmarshal([]byte(text), &all) == nil {
		s.http.Spend(all)
	}
}
