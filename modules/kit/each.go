package kit

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
)

// Each calls fn with 0 to n-1 on GOMAXPROCS goroutines, but at least two, and waits for all calls to return. Element i
// of the result is the error returned by fn(i). Panics are converted to errors.
func Each(n int, fn func(i int) error) []error {
	out := make([]error, n)
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(n, max(2, runtime.GOMAXPROCS(0))) {
		workers.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				out[i] = recovered(func() error { return fn(i) })
			}
		})
	}
	workers.Wait()
	return out
}

func recovered(fn func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	return fn()
}
