package markdown

// entities matches &name;, &#N; and &#xH;, which are copied verbatim.
func (in *inline) entities(s string, _ int) string {
	return in.each(s, '&', func(r *rewriting, at int) int {
		size := entity(s[at:])
		if size == 0 {
			return at + 1
		}
		r.replace(at, at+size, &plain{text: s[at : at+size], entity: true})
		return at + size
	})
}

// maxEntity limits an entity, in bytes; the longest name has 31 letters.
const maxEntity = 40

// entity returns the length of the entity at the start of s, or 0.
func entity(s string) int {
	if s == "" || s[0] != '&' {
		return 0
	}
	i, is := 1, alnum
	if i < len(s) && s[i] == '#' {
		i, is = 2, digit
		if i < len(s) && (s[i] == 'x' || s[i] == 'X') {
			i, is = 3, isHex
		}
	}
	start := i
	for i < len(s) && i < maxEntity && is(s[i]) {
		i++
	}
	if i == start || i == len(s) || s[i] != ';' {
		return 0
	}
	return i + 1
}

func digit(c byte) bool { return '0' <= c && c <= '9' }
