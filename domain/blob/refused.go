package blob

// RefusedError reports what a store refuses to do. It names no keys and no secrets.
type RefusedError struct {
	Text   string // "objects can't be stored: AccessDenied"
	Remedy string // what the operator does about it
}

func (e *RefusedError) Error() string { return e.Text + "; " + e.Remedy }
