package files

import "unicode/utf8"

// charset detects the encoding of the text written to it.
type charset struct {
	begin   []byte // the first bytes of the text, at most three
	rest    []byte // an incomplete character at the end
	notUTF8 bool
}

// Write never fails.
func (c *charset) Write(p []byte) (int, error) {
	if missing := 3 - len(c.begin); missing > 0 {
		c.begin = append(c.begin, p[:min(missing, len(p))]...)
	}
	if !c.notUTF8 {
		c.check(p)
	}
	return len(p), nil
}

func (c *charset) check(p []byte) {
	if len(c.rest) > 0 {
		for len(p) > 0 && !utf8.FullRune(c.rest) {
			c.rest, p = append(c.rest, p[0]), p[1:]
		}
		if !utf8.FullRune(c.rest) {
			return
		}
		if !utf8.Valid(c.rest) {
			c.notUTF8 = true
			return
		}
		c.rest = c.rest[:0]
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
	c.rest = append(c.rest, p[end:]...)
}

// name returns the encoding of the text written so far.
func (c *charset) name() string {
	switch {
	case len(c.begin) >= 2 && (c.begin[0] == 0xff && c.begin[1] == 0xfe || c.begin[0] == 0xfe && c.begin[1] == 0xff):
		return "utf-16"
	case !c.notUTF8 && len(c.rest) == 0:
		return "utf-8"
	}
	return "windows-1252"
}
