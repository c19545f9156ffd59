package crash_test

import (
	"fmt"
	"os"
	"sync"
	"text/tabwriter"
	"time"
)

// faults is the table that make cluster prints at its end.
var faults struct {
	sync.Mutex
	rows []faultRow
}

// faultRow is what a fault cost. longest is the longest time of the kind that what names.
type faultRow struct {
	fault                        string
	sent, lost, doubled, refused int
	longest                      time.Duration
	what                         string
}

func addFault(r faultRow) {
	faults.Lock()
	defer faults.Unlock()
	faults.rows = append(faults.rows, r)
}

// report adds a row about the messages of the members.
func (c *cluster) report(fault, what string, longest time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	addFault(faultRow{
		fault: fault, sent: len(c.acked), lost: c.lost, doubled: c.doubled, refused: len(c.refused),
		longest: longest, what: what,
	})
}

func printFaults() {
	faults.Lock()
	defer faults.Unlock()
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(w, "\nfault\tsent\tlost\tduplicated\trefused\tlongest")
	for _, r := range faults.rows {
		_, _ = fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t%.2f s: %s\n", r.fault, r.sent, r.lost, r.doubled, r.refused,
			r.longest.Seconds(), r.what)
	}
	_ = w.Flush()
}

// gaps measures the longest time without an acknowledgement.
type gaps struct {
	mu      sync.Mutex
	last    time.Time
	longest time.Duration
}

// mark records an acknowledgement.
func (g *gaps) mark() {
	if g == nil {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	now := time.Now()
	if !g.last.IsZero() {
		g.longest = max(g.longest, now.Sub(g.last))
	}
	g.last = now
}

// restart returns the longest time without an acknowledgement since the last restart, and starts anew.
func (g *gaps) restart() time.Duration {
	g.mu.Lock()
	defer g.mu.Unlock()
	now, longest := time.Now(), g.longest
	if !g.last.IsZero() {
		longest = max(longest, now.Sub(g.last))
	}
	g.last, g.longest = now, 0
	return longest
}
