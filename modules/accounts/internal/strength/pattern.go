package strength

import (
	"math"
	"slices"
	"strconv"
	"unicode"
)

// repetitions returns the parts of a password that repeat what they begin with. Estimates finds out how many guesses
// that takes.
func repetitions(password []rune, estimate func([]rune) float64) []match {
	var found []match
	for from := 0; from < len(password); {
		base, to := repetition(password, from)
		if base == 0 {
			from++
			continue
		}
		times := float64((to - from) / base)
		found = append(found, match{from, to, estimate(password[from:from+base]) * times})
		from = to
	}
	return found
}

// repetition returns where the longest repetition ends that begins at a place, and the length of what is repeated,
// the shortest such; 0 if nothing is.
func repetition(password []rune, from int) (base, to int) {
	for n := 1; from+2*n <= len(password); n++ {
		end := from + n
		for end+n <= len(password) && slices.Equal(password[end:end+n], password[from:from+n]) {
			end += n
		}
		if end > from+n && end > to {
			base, to = n, end
		}
	}
	return base, to
}

const maxStep = 5 // between the characters of a sequence such as "acegi"

// sequences returns the parts of a password whose characters follow each other in steps that are equal.
func sequences(password []rune) []match {
	var found []match
	for from := 0; from+1 < len(password); {
		step := password[from+1] - password[from]
		to := from + 2
		for to < len(password) && password[to]-password[to-1] == step {
			to++
		}
		small := -maxStep <= step && step <= maxStep && step != 0
		if small && (to-from > 2 || step == 1 || step == -1) {
			found = append(found, match{from, to, sequenceGuesses(password[from], step, to-from)})
		}
		from = to - 1
	}
	return found
}

func sequenceGuesses(first, step rune, length int) float64 {
	n := 26.0
	switch {
	case slices.Contains([]rune("aAzZ019"), first):
		n = 4 // where people begin
	case unicode.IsDigit(first):
		n = 10
	}
	if step < 0 {
		n *= 2
	}
	return n * float64(length)
}

const (
	aroundYear          = 2026 // people choose years around it
	minYears            = 20   // that are tried at least
	firstYear, lastYear = 1000, 2100
	maxDate             = 10 // characters, as in 24-12-2026
	separators          = " /\\_.-"
)

// dates returns the parts of a password that are years of about a person's life, or dates.
func dates(password []rune) []match {
	var found []match
	for from := range password {
		for to := from + 4; to <= min(from+maxDate, len(password)); to++ {
			if guesses := dateGuesses(string(password[from:to])); guesses > 0 {
				found = append(found, match{from, to, guesses})
			}
		}
	}
	return found
}

// dateGuesses returns how many guesses find a year or a date, or 0 for another text.
func dateGuesses(text string) float64 {
	if year, ok := number(text, 4); ok && len(text) == 4 && 1900 <= year && year < 2050 {
		return years(year)
	}
	best := 0.0
	for i := 1; i <= 4 && i < len(text); i++ {
		for j := i + 1; j <= i+3 && j < len(text); j++ {
			parts := [3]string{text[:i], text[i:j], text[j:]}
			factor := 1.0
			if sep := text[i]; slices.Contains([]byte(separators), sep) {
				if text[j] != sep || j == i+1 {
					continue
				}
				parts[1], parts[2] = text[i+1:j], text[j+1:]
				factor = 4
			}
			if year, ok := date(parts); ok && (best == 0 || factor*365*years(year) < best) {
				best = factor * 365 * years(year)
			}
		}
	}
	return best
}

// date returns the year of a day, a month and a year in one of the orders that people use.
func date(parts [3]string) (year int, ok bool) {
	for _, order := range [][3]int{{0, 1, 2}, {1, 0, 2}, {2, 1, 0}, {1, 2, 0}} {
		day, isDay := number(parts[order[0]], 2)
		month, isMonth := number(parts[order[1]], 2)
		year, isYear := number(parts[order[2]], 4)
		if !isDay || !isMonth || !isYear || day < 1 || day > 31 || month < 1 || month > 12 {
			continue
		}
		switch n := len(parts[order[2]]); {
		case n == 2 && year > 50:
			return 1900 + year, true
		case n == 2:
			return 2000 + year, true
		case n == 4 && firstYear <= year && year <= lastYear:
			return year, true
		}
	}
	return 0, false
}

func number(text string, digits int) (int, bool) {
	n, err := strconv.ParseUint(text, 10, 16)
	return int(n), err == nil && len(text) <= digits
}

func years(year int) float64 { return math.Max(math.Abs(float64(year-aroundYear)), minYears) }
