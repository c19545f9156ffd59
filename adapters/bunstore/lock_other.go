//go:build !unix

package bunstore

// lock does nothing: there are no locks that end with the process.
func lock(string) (release func() error, err error) { return func() error { return nil }, nil }
