package bunstore_test

import (
	"errors"
	"fmt"
	"io"
	"net"
	"syscall"
	"testing"

	"github.com/stoachat/stoa/domain/errs"
)

// Errors of the network are the database's only if they come from one of its connections: other services fail in the
// same way, and so do clients that break off a request.
func TestErrorsOfOthers(t *testing.T) {
	db := open(t)
	refused := &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
	for _, err := range []error{
		refused, io.ErrUnexpectedEOF, io.EOF, net.ErrClosed, fmt.Errorf("the store: %w", refused),
		errs.New(errs.Unavailable, "Later.").Because(refused), errs.New(errs.Unavailable, "Later."),
		errors.Join(errors.New("two"), refused),
	} {
		if db.Lost(err) || db.Unavailable(err) || db.Retryable(err) {
			t.Errorf("%v is taken for an error of the database", err)
		}
	}
}
