package kit

// Compressible marks a value without secrets in a response that is compressed (see [Endpoint.Compress]).
func Compressible(value any) Encoded {
	if c, is := value.(*compressible); is {
		return c
	}
	return &compressible{value}
}

type compressible struct{ value any }

// Size implements Encoded.
func (c *compressible) Size() int {
	if e, is := c.value.(Encoded); is {
		return e.Size()
	}
	return 0
}

// AppendJSON implements Encoded.
func (c *compressible) AppendJSON(b []byte) ([]byte, error) { return AppendJSON(b, c.value) }

// MarshalJSON implements json.Marshaler.
func (c *compressible) MarshalJSON() ([]byte, error) { return c.AppendJSON(nil) }

// Span is a part of a text, by offsets in bytes.
type Span struct{ From, To int }
