package ldap

import (
	"sync"
	"time"
)

// guesses counts wrong passwords by entry. Without it, each spelling of a name would have tries of its own.
type guesses struct {
	mu  sync.Mutex
	per map[string]guessed
}

type guessed struct {
	wrong int
	since time.Time
}

// Limits of wrong passwords for an entry.
const (
	maxWrong    = 10
	wrongWindow = 30 * time.Minute
	maxGuessed  = 10_000 // entries that are remembered
)

// take counts a try, and reports whether it may be made. A right password takes back the count with forget.
func (g *guesses) take(key string, now time.Time) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.per == nil {
		g.per = map[string]guessed{}
	}
	at := g.per[key]
	if now.Sub(at.since) >= wrongWindow {
		at = guessed{since: now}
	}
	if at.wrong >= maxWrong {
		return false
	}
	if _, known := g.per[key]; !known && len(g.per) >= maxGuessed {
		for k := range g.per {
			if delete(g.per, k); len(g.per) <= maxGuessed/2 {
				break
			}
		}
	}
	at.wrong++
	g.per[key] = at
	return true
}

// forget forgets the wrong passwords of an entry.
func (g *guesses) forget(key string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.per, key)
}
