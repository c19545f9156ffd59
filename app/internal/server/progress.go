package server

import (
	"fmt"
	"sync"
	"time"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/ports"
)

// longMigration is how long clients wait for a migration before they are told about it.
const longMigration = 2 * time.Second

// progress is how far a migration of the database is.
type progress struct {
	clock ports.Clock

	mu    sync.Mutex
	text  string    // what is done; "": nothing
	since time.Time // when it began
}

// copied records how far the copy of the database is.
func (p *progress) copied(done, all int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.text, p.since = fmt.Sprintf("copying its database before the migration; %d %% are done", 100*done/max(1, all)),
		time.Time{}
}

// began records that a step begins.
func (p *progress) began(_ bunstore.Step, n, all int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.text, p.since = fmt.Sprintf("migrating its database; step %d of %d", n, all), p.clock.Now()
}

// sentence says what the server does.
func (p *progress) sentence() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.text == "":
		return "The server is starting."
	case p.since.IsZero():
		return "The server is " + p.text + "."
	}
	return fmt.Sprintf("The server is %s has taken %v so far.", p.text, p.clock.Now().Sub(p.since).Round(time.Second))
}
