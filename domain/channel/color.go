package channel

import (
	"strings"

	"github.com/stoachat/stoa/domain/errs"
)

// DefaultColor is the colour of a subscription for which none was assigned.
const DefaultColor = "#c2c2c2"

// palette is the colours that new subscriptions get, in the order in which they are handed out.
const palette = "#76ce90 #fae589 #a6c7e5 #e79ab5 #bfd56f #f4ae55 #b0a5fd #addfe5 #f5ce6e #c2726a #94c849 #bd86e5 " +
	"#ee7e4a #a6dcbf #95a5fd #53a063 #9987e1 #e4523d #c2c2c2 #4f8de4 #c6a8ad #e7cc4d #c8bebf #a47462"

// Palette gives the 24 colours, first to be handed out first.
func Palette() []string { return strings.Fields(palette) }

// ParseColor gives a colour in the one form in which it is stored and answered: # and six lower-case hex digits. Three
// digits are each doubled. Errors: BadRequest.
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

// Colors hands out colours to one person.
type Colors struct{ used map[string]bool }

// NewColors begins with the colours of all subscriptions that the person has or had.
func NewColors(used ...string) *Colors {
	c := &Colors{make(map[string]bool, len(used))}
	for _, u := range used {
		c.used[u] = true
	}
	return c
}

// Take marks a colour as used, because the person chose it.
func (c *Colors) Take(color string) { c.used[color] = true }

// Next gives a colour for a new subscription: the first that is not used yet, or, when all are, one that follows from
// the channel. Hand them out in rising order of channels.
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
