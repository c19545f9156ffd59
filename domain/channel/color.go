package channel

import (
	"strings"

	"github.com/stoachat/stoa/domain/errs"
)

// DefaultColor is the color of subscriptions without an assigned color.
const DefaultColor = "#c2c2c2"

// palette lists the colors of new subscriptions in order of assignment.
const palette = "#76ce90 #fae589 #a6c7e5 #e79ab5 #bfd56f #f4ae55 #b0a5fd #addfe5 #f5ce6e #c2726a #94c849 #bd86e5 " +
	"#ee7e4a #a6dcbf #95a5fd #53a063 #9987e1 #e4523d #c2c2c2 #4f8de4 #c6a8ad #e7cc4d #c8bebf #a47462"

// Palette returns the 24 colors in order of assignment.
func Palette() []string { return strings.Fields(palette) }

// ParseColor returns the normal form of a color: # and six lower-case hex digits. Three digits are doubled. Errors:
// BadRequest.
func ParseColor(s string) (string, error) {
	s = strings.ToLower(s)
	digits, ok := strings.CutPrefix(s, "#")
	if !ok || len(digits) != 3 && len(digits) != 6 || strings.Trim(digits, "0123456789abcdef") != "" {
		return "", errs.Bad("color is not a valid hex color code")
	}
	if len(digits) == 6 {
		return s, nil
	}
	long := []byte{'#'}
	for i := range 3 {
		long = append(long, digits[i], digits[i])
	}
	return string(long), nil
}

// Colors assigns colors to one user's subscriptions.
type Colors struct{ used map[string]bool }

// NewColors returns a Colors that counts the given colors as used: those of all the user's current and former
// subscriptions.
func NewColors(used ...string) *Colors {
	c := &Colors{make(map[string]bool, len(used))}
	for _, u := range used {
		c.used[u] = true
	}
	return c
}

// Take marks a color as used because the user chose it.
func (c *Colors) Take(color string) { c.used[color] = true }

// Next returns the color of a new subscription: the first unused one or, if all are used, one derived from the channel
// ID. Call it in ascending order of channel IDs.
func (c *Colors) Next(id ID) string {
	all := Palette()
	for _, color := range all {
		if !c.used[color] {
			c.used[color] = true
			return color
		}
	}
	return all[uint64(id)%uint64(len(all))]
}
