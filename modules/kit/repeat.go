package kit

import (
	"context"
	"time"
)

// Repeat calls do periodically in a new goroutine until do returns false or stop is called. stop cancels the context
// passed to do and waits for do to return. Repeat is for work during a request, such as renewing a lock; use a Job for
// everything else.
func Repeat(every time.Duration, do func(context.Context) bool) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			if !do(ctx) {
				return
			}
		}
	}()
	return func() { cancel(); <-ended }
}
