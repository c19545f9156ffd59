// Package sink sends entries of the audit log to files and other systems.
package sink

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/stoachat/stoa/domain/audit"
)

// Sink receives entries.
type Sink interface {
	// Send sends entries, oldest first. If it fails, some of them may have been sent.
	Send(ctx context.Context, entries []audit.Entry) error
}

// checkFormat returns an error for an unknown format.
func checkFormat(key, format string) error {
	if slices.Contains(audit.Formats(), format) {
		return nil
	}
	return fmt.Errorf("%s.format: want one of %s", key, strings.Join(audit.Formats(), ", "))
}

// lines returns entries in a format, one per line.
func lines(format string, entries []audit.Entry) ([]byte, error) {
	var out bytes.Buffer
	w, err := audit.NewWriter(&out, format)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		err = errors.Join(err, w.Write(e))
	}
	err = errors.Join(err, w.Flush())
	return out.Bytes(), err
}
