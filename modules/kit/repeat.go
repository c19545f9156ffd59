package kit

import (
	"context"
	"time"
)

// Repeat calls do at an interval, in a goroutine of its own, until do returns false or stop is called. stop cancels the
// context of do and waits for its end. It is for what must go on while a request is being served, such as renewing a
// lock; everything else is a Job.
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
