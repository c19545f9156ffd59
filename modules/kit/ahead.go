package kit

import "fmt"

// Ahead begins to encode what is large while the rest of an answer is still being worked out: that mostly waits for the database. What
// it encodes must not change any more. The text is there twice for a while, so it is for answers that clients ask for once.
func Ahead(own Encoded) Encoded {
	a := &ahead{size: own.Size(), done: make(chan struct{})}
	go func() {
		defer close(a.done)
		defer func() {
			if p := recover(); p != nil {
				a.err = fmt.Errorf("panic: %v", p)
			}
		}()
		a.text, a.err = own.AppendJSON(make([]byte, 0, a.size))
	}()
	return a
}

type ahead struct {
	size int
	done chan struct{}
	text []byte
	err  error
}

// Size implements Encoded.
func (a *ahead) Size() int { return a.size }

// AppendJSON implements Encoded.
func (a *ahead) AppendJSON(b []byte) ([]byte, error) {
	<-a.done
	return append(b, a.text...), a.err
}
