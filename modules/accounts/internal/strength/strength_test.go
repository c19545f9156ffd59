package strength_test

import (
	"strings"
	"testing"

	"github.com/stoachat/stoa/modules/accounts/internal/strength"
)

func TestGuesses(t *testing.T) {
	about := []string{"alice@example.com", "Alice Liddell", "Looking-Glass Society"}
	for password, want := range map[string][2]float64{
		"":                             {0, 0},
		"password1234":                 {1, 1e3},
		"P4ssw0rd!":                    {1, 1e4},
		"qwertyuiop12":                 {1, 1e5},
		"Liddell2026":                  {1, 1e4}, // the person's name
		"alice@example.com":            {1, 1e3},
		"alooking-glass1":              {1, 1e6}, // and the organization's
		"tr0ub4dor&3":                  {1e10, 1e13},
		"correct horse battery staple": {1e15, 1e20},
		"kX9#mQ2v":                     {1e14, 1e17},
	} {
		if got := strength.Guesses(password, about...); got < want[0] || got > want[1] {
			t.Errorf("%s: %g guesses, want %g to %g", password, got, want[0], want[1])
		}
	}
	if a, b := strength.Guesses("Liddell2026", about...), strength.Guesses("Liddell2026"); a >= b {
		t.Errorf("%g guesses with the name, %g without", a, b)
	}
	for guesses, want := range map[float64]int{0: 0, 999: 0, 1e3: 1, 1e6: 2, 1e8: 3, 1e10: 4, 1e30: 4} {
		if got := strength.Score(guesses); got != want {
			t.Errorf("%g guesses: %d", guesses, got)
		}
	}
}

// TestBounded estimates passwords that without limits would take longer than any test may.
func TestBounded(t *testing.T) {
	about := []string{strings.Repeat("word ", 1e5), strings.Repeat("x", 1e6)}
	for _, p := range []string{
		"4@8({[<369&#!1/|0$5+7%2", "1!@|27", "a", "a1", "qwertyuiop", "12121999", "password", "ü4", "\xff", "1",
	} {
		if got := strength.Guesses(strings.Repeat(p, 1e5), about...); got <= 0 {
			t.Errorf("%s…: %g guesses", p, got)
		}
	}
}
