package channel

import (
	"cmp"
	"strings"
)

// CompareNames orders names by their bytes, except for the numbers in them, which it orders by value: "day 2" comes
// before "day 10".
func CompareNames(a, b string) int {
	x, y := a, b
	for x != "" && y != "" {
		i, j := digits(x), digits(y)
		if i == 0 || j == 0 {
			if x[0] != y[0] {
				return cmp.Compare(x[0], y[0])
			}
			x, y = x[1:], y[1:]
			continue
		}
		m, n := strings.TrimLeft(x[:i], "0"), strings.TrimLeft(y[:j], "0")
		if c := cmp.Or(cmp.Compare(len(m), len(n)), strings.Compare(m, n)); c != 0 {
			return c
		}
		x, y = x[i:], y[j:]
	}
	return cmp.Or(cmp.Compare(len(x), len(y)), strings.Compare(a, b))
}

// digits returns the number of digits at the start of s.
func digits(s string) int {
	n := 0
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	return n
}
