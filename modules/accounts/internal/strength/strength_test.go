package strength_test

import (
	"math"
	"strings"
	"testing"

	"github.com/stoachat/stoa/modules/accounts/internal/strength"
)

// TestGuesses compares estimates with those of zxcvbn 4.5.0 for Python, with 2026 as the year around which people
// choose theirs.
func TestGuesses(t *testing.T) {
	for password, want := range map[string]float64{
		"":                          0,
		"password1234":              11384,
		"qwertyuiop12":              15000,
		"qwER43@!":                  9.04706e+07, // on the keyboard, and back
		"Tr0ub4dour&3":              1.9058e+07,
		"correcthorsebatterystaple": 2.735e+14,
		"kX9#mQ2v":                  1e+08,
		"abcdefghijk987654321":      15000,
		"aaaaaaaaaaaa":              145,
		"abcabcabcabc":              53,
		"drowssap":                  5,
		"24-12-1987":                56941,
		"2412198":                   170600,
		"13.4.95":                   45261,
		"19870512":                  14236,
		"sUpErMaN":                  4213,
		"zxcvbn":                    58,
		"neverforget13/3/1997":      4.92041e+09,
		"verlineVANDERMARK":         2.45009e+10,
		"0.123456":                  20000,
		"1qazxsw2":                  312,
		"пароль123":                 1.0001e+08,
	} {
		if got := strength.Guesses(password); math.Abs(got-want) > want/1e5 {
			t.Errorf("%s: %g guesses, want %g", password, got, want)
		}
	}
}

func TestAbout(t *testing.T) {
	about := []string{"wilhelmina@example.com", "Wilhelmina Vandermark", "Looking-Glass Society"}
	for _, password := range []string{
		"Vandermark!23", "wilhelmina@example.com", "kramrednaV77", "wilhelminavandermark1",
	} {
		with, without := strength.Guesses(password, about...), strength.Guesses(password)
		if with >= without || with > 1e6 {
			t.Errorf("%s: %g guesses by somebody who knows the person, %g without", password, with, without)
		}
	}
}

func TestScore(t *testing.T) {
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
