package files

import "unicode/utf8"

// charset detects the encoding of the text written to it.
type charset struct {
	start      []byte // the first bytes of the text, at most three
	incomplete []byte // an incomplete character at the end
	notUTF8    bool
}

// Write implements io.Writer. It never fails.
func (c *charset) Write(p []byte) (int, error) {
	if missing := 3 - len(c.start); missing > 0 {
		c.start = append(c.start, p[:min(missing, len(p))]...)
	}
	if !c.notUTF8 {
		c.check(p)
	}
	return len(p), nil
}

func (c *charset) check(p []byte) {
	if len(c.incomplete) > 0 {
		for len(p) > 0 && !utf8.FullRune(c.incomplete) {
			c.incomplete, p = append(c.incomplete, p[0]), p[1:]
		}
		if !utf8.FullRune(c.incomplete) {
			return
		}
		if !utf8.Valid(c.incomplete) {
			c.notUTF8 = true
			return
		}
		c.incomplete = c.incomplete[:0]
	}
	end := len(p)
	for i := 1; i <= min(utf8.UTFMax-1, len(p)); i++ {
		if at := len(p) - i; utf8.RuneStart(p[at]) {
			if !utf8.FullRune(p[at:]) {
				end = at
			}
			break
		}
	}
	c.notUTF8 = !utf8.Valid(p[:end])
	c.incomplete = append(c.incomplete, p[end:]...)
}

// name returns the encoding of the text written so far.
func (c *charset) name() string {
	switch {
	case len(c.start) >= 2 && (c.start[0] == 0xff && c.start[1] == 0xfe || c.start[0] == 0xfe && c.start[1] == 0xff):
		return "utf-16"
	case !c.notUTF8 && len(c.incomplete) == 0:
		return "utf-8"
	}
	return "windows-1252"
}
