package s3

import (
	"errors"
	"io"
)

// object reads an object.
type object struct {
	body  io.ReadCloser
	o     *operation
	first []byte // read in advance
}

// firstBytes is how much of an object is read in advance, in bytes.
const firstBytes = 512

// begin waits for the first bytes.
func (r *object) begin() error {
	first := make([]byte, firstBytes)
	n, err := r.body.Read(first)
	if n == 0 && err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	r.first = first[:n] // reading on returns any error again
	return nil
}

// Read implements io.Reader. Errors: Unavailable, io.ErrUnexpectedEOF.
func (r *object) Read(p []byte) (int, error) {
	if len(r.first) > 0 {
		n := copy(p, r.first)
		r.first = r.first[n:]
		return n, nil
	}
	n, err := r.body.Read(p)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF { //nolint:errorlint // readers must not wrap these
		err = r.o.unavailable(err)
	}
	return n, err
}

// Close implements io.Closer.
func (r *object) Close() error {
	defer r.o.end()
	return r.body.Close()
}
