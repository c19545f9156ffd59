package directory_test

import (
	"testing"
	"time"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/session"
)

// Sessions ended by one change are over even if some are still stored, and so are expired sessions.
func TestSessionsEnd(t *testing.T) {
	now := time.Unix(1000, 0)
	v := directory.Empty().AsOf(0, now)
	for id := range session.ID(3) {
		v = v.Apply(v.Seq()+1, directory.OfSession(nil, &session.Session{ID: id + 1, Ends: 1001}))
	}
	ended := directory.Change{Sessions: &directory.SessionsEnded{Last: 2}}
	after := v.Apply(4, ended)
	for id, want := range map[session.ID]bool{1: false, 2: false, 3: true, 4: false} {
		if got := after.Session(id) != nil; got != want {
			t.Errorf("session %d is active: %v", id, got)
		}
	}
	if after.Undo(4, ended).Session(1) == nil {
		t.Error("session 1 ended before the change")
	}
	if after.AsOf(4, now.Add(time.Second)).Session(3) != nil {
		t.Error("session 3 never ends")
	}
}
