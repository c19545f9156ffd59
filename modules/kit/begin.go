package kit

// Begin calls do in a new goroutine, and returns a function that waits for its result. It is for work that mostly waits
// for another server, such as a download, while the caller goes on. do must end with the caller's context, and the
// caller must wait for it.
func Begin[T any](do func() (T, error)) (wait func() (T, error)) {
	var result T
	var err error
	done := make(chan struct{})
	go func() {
		defer close(done)
		result, err = do()
	}()
	return func() (T, error) { <-done; return result, err }
}
