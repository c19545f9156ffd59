package strength

import "math"

// A match is a part of a password that whoever guesses would try, after so many guesses for it alone.
type match struct {
	from, to int // code points
	guesses  float64
}

const (
	perCharacter = 10    // guesses for one that follows no pattern
	minCharacter = 10    // for a part of one character
	minPart      = 50    // for a longer part
	perPart      = 10000 // tried before whoever guesses tries one part more
)

// estimate returns the guesses that a password takes which is not empty.
func estimate(password []rune, about dictionary) float64 {
	found := append(dates(password), sequences(password)...)
	for _, d := range []dictionary{common(), about} {
		found = append(append(found, d.matches(password)...), d.reversed(password)...)
	}
	for _, k := range keyboards() {
		found = append(found, k.matches(password)...)
	}
	found = append(found, repetitions(password, func(base []rune) float64 { return estimate(base, about) })...)
	return least(len(password), found)
}

// An attempt is a way to put the beginning of a password together.
type attempt struct {
	product float64 // of the guesses for its parts
	total   float64 // guesses, with those for fewer parts and for the order
	blind   bool    // the last part follows no pattern
}

// attempts are the best ones with 1, 2, … parts; nil where fewer parts take no more guesses.
type attempts []*attempt

// least returns the guesses for the sequence of parts that takes the fewest: with l parts, their order is one of l!,
// and all sequences of fewer parts were tried before.
func least(length int, found []match) float64 {
	ending := make([][]match, length+1)
	for _, m := range found {
		ending[m.to] = append(ending[m.to], m)
	}
	best := make([]attempts, length+1) // for the first so many code points
	for to := 1; to <= length; to++ {
		for _, m := range ending[to] {
			floor := float64(minPart)
			if m.to-m.from == 1 {
				floor = minCharacter
			}
			if m.to-m.from == length {
				floor = 1 // the whole password
			}
			best[to].extend(best[m.from], attempt{product: max(m.guesses, floor)}, m.from == 0)
		}
		for from := range to {
			blind := attempt{product: math.Pow(perCharacter, float64(to-from)), blind: true}
			blind.product = max(blind.product, minCharacter+1)
			if to-from > 1 {
				blind.product = max(blind.product, minPart+1)
			}
			best[to].extend(best[from], blind, from == 0)
		}
	}
	guesses := math.Inf(1)
	for _, a := range best[length] {
		if a != nil {
			guesses = min(guesses, a.total)
		}
	}
	return guesses
}

// extend adds a part to the attempts for what is before it. Two parts without a pattern are one.
func (to *attempts) extend(before attempts, part attempt, first bool) {
	if first {
		to.add(1, part)
		return
	}
	for i, b := range before {
		if b != nil && (!b.blind || !part.blind) {
			to.add(i+2, attempt{product: b.product * part.product, blind: part.blind})
		}
	}
}

// add keeps an attempt with so many parts if none with as many or fewer takes as few guesses.
func (to *attempts) add(parts int, a attempt) {
	a.total = math.Gamma(float64(parts+1))*a.product + math.Pow(perPart, float64(parts-1))
	for i, known := range *to {
		if known != nil && i < parts && known.total <= a.total {
			return
		}
	}
	for len(*to) < parts {
		*to = append(*to, nil)
	}
	(*to)[parts-1] = &a
}
