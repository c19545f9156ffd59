package strength

import (
	"math"
	"strings"
	"sync"
	"unicode/utf8"
)

// A keyboard has rows of keys. A key is its characters, without and with shift; none is an empty place.
type keyboard struct {
	rows       [][]string
	directions []place // of a key's neighbors
	places     map[rune]place
	degree     float64 // neighbors that a key has, on average
}

type place struct{ x, y int }

const none = "□"

const qwerty = "`~ 1! 2@ 3# 4$ 5% 6^ 7& 8* 9( 0) -_ =+\n" +
	"□ qQ wW eE rR tT yY uU iI oO pP [{ ]} \\|\n" +
	"□ aA sS dD fF gG hH jJ kK lL ;: '\"\n" +
	"□ zZ xX cC vV bB nN mM ,< .> /?"

const dvorak = "`~ 1! 2@ 3# 4$ 5% 6^ 7& 8* 9( 0) [{ ]}\n" +
	"□ '\" ,< .> pP yY fF gG cC rR lL /? =+ \\|\n" +
	"□ aA oO eE uU iI dD hH tT nN sS -_\n" +
	"□ ;: qQ jJ kK xX bB mM wW vV zZ"

const keypad = "□ / * -\n7 8 9 +\n4 5 6\n1 2 3\n□ 0 ."

const macKeypad = "□ = / *\n7 8 9 -\n4 5 6 +\n1 2 3\n□ 0 ."

var keyboards = sync.OnceValue(func() []keyboard {
	slanted := []place{{-1, 0}, {0, -1}, {1, -1}, {1, 0}, {0, 1}, {-1, 1}} // each row is half a key to the right
	aligned := []place{{-1, 0}, {-1, -1}, {0, -1}, {1, -1}, {1, 0}, {1, 1}, {0, 1}, {-1, 1}}
	return []keyboard{
		newKeyboard(qwerty, slanted), newKeyboard(dvorak, slanted),
		newKeyboard(keypad, aligned), newKeyboard(macKeypad, aligned),
	}
})

func newKeyboard(layout string, directions []place) keyboard {
	k := keyboard{directions: directions, places: map[rune]place{}}
	for row := range strings.Lines(layout) {
		k.rows = append(k.rows, strings.Fields(row))
	}
	for y, row := range k.rows {
		for x, key := range row {
			if key != none {
				for _, r := range key {
					k.places[r] = place{x, y}
				}
			}
		}
	}
	for _, at := range k.places {
		for _, d := range directions {
			if k.key(place{at.x + d.x, at.y + d.y}) != "" {
				k.degree++
			}
		}
	}
	k.degree /= float64(len(k.places))
	return k
}

// key returns the characters at a place, or "".
func (k keyboard) key(at place) string {
	if at.y < 0 || at.y >= len(k.rows) || at.x < 0 || at.x >= len(k.rows[at.y]) || k.rows[at.y][at.x] == none {
		return ""
	}
	return k.rows[at.y][at.x]
}

// direction returns in which direction the key of one character is beside that of another, or -1.
func (k keyboard) direction(from, to rune) int {
	at, ok := k.places[from]
	if !ok {
		return -1
	}
	for i, d := range k.directions {
		if strings.ContainsRune(k.key(place{at.x + d.x, at.y + d.y}), to) {
			return i
		}
	}
	return -1
}

// shifted reports whether a character needs the shift key.
func (k keyboard) shifted(r rune) bool {
	at, ok := k.places[r]
	if !ok {
		return false
	}
	first, _ := utf8.DecodeRuneInString(k.key(at))
	return first != r
}

const minWalk = 3 // keys

// matches returns the parts of a password that walk from one key to the next, such as "qwerty".
func (k keyboard) matches(password []rune) []match {
	var found []match
	for from := 0; from < len(password); {
		to, turns, shifted, direction := from, 0, 0, -1
		for ; to < len(password); to++ {
			if to > from {
				next := k.direction(password[to-1], password[to])
				if next < 0 {
					break
				}
				if next != direction {
					turns++
					direction = next
				}
			}
			if k.shifted(password[to]) {
				shifted++
			}
		}
		if to-from >= minWalk {
			found = append(found, match{from, to, k.guesses(to-from, turns, shifted)})
		}
		from = to
	}
	return found
}

// guesses counts the walks that are not longer and have no more turns.
func (k keyboard) guesses(length, turns, shifted int) float64 {
	n := 0.0
	for i := 2; i <= length; i++ {
		for j := 1; j <= min(turns, i-1); j++ {
			n += choose(i-1, j-1) * float64(len(k.places)) * math.Pow(k.degree, float64(j))
		}
	}
	if shifted > 0 {
		n *= ways(shifted, length-shifted)
	}
	return n
}
