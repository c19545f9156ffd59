//go:build !wasip1

package sdk

import "errors"

// exchange fails, because there is no server.
func exchange([]byte) ([]byte, error) { return nil, errors.New("only in Stoa") }

var _ = serve // called by the server
