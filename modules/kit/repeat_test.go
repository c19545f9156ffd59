package kit_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stoachat/stoa/modules/kit"
)

func TestRepeat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		calls, canceled := make(chan int), false
		stop := kit.Repeat(time.Second, func(ctx context.Context) bool {
			select {
			case calls <- 1:
				return true
			case <-ctx.Done():
				canceled = true
				return true
			}
		})
		<-calls
		<-calls
		if passed := time.Since(begin); passed != 2*time.Second {
			t.Errorf("the second call was made after %s", passed)
		}
		<-time.After(time.Second)
		synctest.Wait()
		stop()
		if !canceled {
			t.Error("stop did not end a call")
		}
		left := 2
		ended := make(chan struct{})
		stop = kit.Repeat(time.Second, func(context.Context) bool {
			if left--; left == 0 {
				close(ended)
			}
			return left > 0
		})
		<-ended
		<-time.After(5 * time.Second)
		if stop(); left != 0 {
			t.Errorf("%d calls after the last", -left)
		}
	})
}
