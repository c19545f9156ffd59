package markdown

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// maxDate limits the text of a time, in bytes. JavaScript's format with the name of a time zone has about 70.
const maxDate = 100

// parseTime parses Unix seconds, ISO 8601, and common English formats of date and time. The default time zone is UTC.
// Missing parts of the date are taken from now, except that a year or month alone means its first day. If now is zero,
// incomplete dates are refused.
func parseTime(s string, now time.Time) (time.Time, bool) {
	if s = strings.TrimSpace(s); s == "" || len(s) > maxDate {
		return time.Time{}, false
	}
	if layout := map[int]string{4: "2006", 8: "20060102", 12: "200601021504",
		14: "20060102150405"}[len(s)]; layout != "" && digits(s) {
		if t, err := time.Parse(layout, s); err == nil {
			return inRange(t)
		}
	}
	if t, ok, number := seconds(s); number {
		return t, ok
	}
	s = strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return ' '
		}
		return unicode.ToLower(r)
	}, s)
	d := dateParser{now: now.UTC(), tokens: dateTokens(s)}
	if !d.parse() {
		return time.Time{}, false
	}
	return d.time()
}

// seconds parses a number of Unix seconds.
func seconds(s string) (t time.Time, ok, number bool) {
	f, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return time.Time{}, false, false
	}
	if strings.Trim(s, "0123456789+-.eE") != "" || f < -6e10 || f > 2.5e11 {
		return time.Time{}, false, true
	}
	whole, part := math.Modf(f)
	t, ok = inRange(time.Unix(int64(whole), int64(math.Round(part*1e6))*1000))
	return t, ok, true
}

func inRange(t time.Time) (time.Time, bool) {
	t = t.UTC().Truncate(time.Microsecond)
	return t, t.Year() >= 1 && t.Year() <= 9999
}

// dateTokens splits a text into numbers, words and other single characters. It drops spaces and commas.
func dateTokens(s string) []string {
	kind := func(c byte) int {
		switch {
		case digit(c):
			return 1
		case 'a' <= c && c <= 'z':
			return 2
		case c == ' ' || c == ',':
			return 0
		}
		return 3
	}
	var out []string
	for i := 0; i < len(s); {
		end, k := i+1, kind(s[i])
		for k < 3 && end < len(s) && kind(s[end]) == k {
			end++
		}
		if k > 0 {
			out = append(out, s[i:end])
		}
		i = end
	}
	return out
}

// dateParser parses the tokens of a date from left to right.
type dateParser struct {
	now    time.Time
	tokens []string
	at     int

	month   time.Month // if named
	numbers []string   // the numbers of the date, in order
	joined  bool       // separated by dashes, slashes or dots
	weekday bool       // a weekday is named
	clock   time.Duration
	timed   bool // whether a time of day was found
	offset  time.Duration
	zoned   bool
}

func (d *dateParser) peek(n int) string {
	if d.at+n < len(d.tokens) {
		return d.tokens[d.at+n]
	}
	return ""
}

// take consumes the next token if it is one of the given ones.
func (d *dateParser) take(any ...string) string {
	if t := d.peek(0); t != "" && slices.Contains(any, t) {
		d.at++
		return t
	}
	return ""
}

// number consumes a number of at most maxDigits digits, or returns "" if there is none.
func (d *dateParser) number(maxDigits int) string {
	t := d.peek(0)
	if t == "" || !digit(t[0]) || len(t) > maxDigits {
		return ""
	}
	d.at++
	return t
}

func (d *dateParser) parse() bool {
	for d.at < len(d.tokens) {
		t := d.peek(0)
		var ok bool
		switch {
		case digit(t[0]):
			ok = d.numeric()
		case t == "+", t == "-":
			ok = (d.timed || d.zoned) && d.zoneOffset()
		case t == "(": // the name of a time zone
			ok = d.timed && d.tokens[len(d.tokens)-1] == ")"
			d.at = len(d.tokens)
		default:
			ok = d.word(t)
		}
		if !ok {
			return false
		}
	}
	return true
}

func (d *dateParser) word(t string) bool {
	d.at++
	if m := month(t); m > 0 {
		ok := d.month == 0
		d.month = m
		d.take("-", "/", ".")
		return ok
	}
	if weekday(t) {
		d.weekday = true
		d.take(".")
		return true
	}
	switch t {
	case "at", "on", "of":
		return true
	case "t":
		return !d.timed && d.numberFollows()
	}
	hours, ok := abbreviation(t)
	if !ok || d.zoned {
		return false
	}
	d.offset, d.zoned = time.Duration(hours*float64(time.Hour)), true
	if hours == 0 && (d.peek(0) == "+" || d.peek(0) == "-") { // as in GMT+2
		return d.zoneOffset()
	}
	return true
}

func (d *dateParser) numberFollows() bool { t := d.peek(0); return t != "" && digit(t[0]) }

// month returns the month with the given name, abbreviated to three letters or more, or 0.
func month(word string) time.Month {
	for m := time.January; m <= time.December; m++ {
		if len(word) >= 3 && strings.HasPrefix(strings.ToLower(m.String()), word) {
			return m
		}
	}
	return 0
}

func weekday(word string) bool {
	for w := time.Sunday; w <= time.Saturday; w++ {
		if len(word) >= 3 && strings.HasPrefix(strings.ToLower(w.String()), word) {
			return true
		}
	}
	return false
}

// numeric parses a time of day, or a number in the date together with its separator.
func (d *dateParser) numeric() bool {
	switch next := d.peek(1); {
	case next == ":", next == "am", next == "pm", (next == "a" || next == "p") && d.peek(2) == "." && d.peek(3) == "m":
		return d.timeOfDay()
	case d.dated() && !d.timed:
		return d.compact()
	}
	n := d.number(8)
	switch {
	case len(n) == 8 && len(d.numbers) == 0 && d.month == 0:
		d.numbers = append(d.numbers, n[:4], n[4:6], n[6:])
	case n == "" || len(n) > 4 || d.dated():
		return false
	default:
		d.numbers = append(d.numbers, n)
	}
	if d.take("st", "nd", "rd", "th") == "" && !d.dated() && d.take("-", "/", ".") != "" {
		d.joined = true
		return d.numberFollows() || month(d.peek(0)) > 0
	}
	return true
}

// dated reports whether the date is complete.
func (d *dateParser) dated() bool { return len(d.numbers) == 3 || d.month > 0 && len(d.numbers) == 2 }

// value returns the value of a number too short to overflow.
func value(s string) int {
	n, _ := strconv.Atoi(s)
	return n
}

// date assigns the numbers to year, month and day. Long or large numbers are years, and the month comes before the day
// unless that is impossible.
func (d *dateParser) date() (y int, m time.Month, day int, ok bool) {
	n := d.numbers
	known := !d.now.IsZero()
	switch {
	case d.month > 0 && len(n) == 2:
		if isYear(n[0]) {
			n[0], n[1] = n[1], n[0]
		}
		return year(n[1]), d.month, value(n[0]), !isYear(n[0])
	case d.month > 0 && len(n) == 1 && isYear(n[0]):
		return year(n[0]), d.month, 1, true
	case d.month > 0 && len(n) == 1:
		return d.now.Year(), d.month, value(n[0]), known
	case d.month > 0:
		return 0, 0, 0, false
	case len(n) == 3 && isYear(n[0]):
		return year(n[0]), time.Month(value(n[1])), value(n[2]), !isYear(n[1]) && !isYear(n[2])
	case len(n) == 3 && value(n[0]) > 12:
		return year(n[2]), time.Month(value(n[1])), value(n[0]), !isYear(n[1])
	case len(n) == 3:
		return year(n[2]), time.Month(value(n[0])), value(n[1]), !isYear(n[1])
	case len(n) == 2 && !d.joined:
		return 0, 0, 0, false
	case len(n) == 2 && isYear(n[0]):
		return year(n[0]), time.Month(value(n[1])), 1, !isYear(n[1])
	case len(n) == 2 && isYear(n[1]):
		return year(n[1]), time.Month(value(n[0])), 1, true
	case len(n) == 2 && value(n[0]) > 12:
		return d.now.Year(), time.Month(value(n[1])), value(n[0]), known
	case len(n) == 2:
		return d.now.Year(), time.Month(value(n[0])), value(n[1]), known
	case len(n) == 1:
		return year(n[0]), 1, 1, len(n[0]) == 4
	}
	return d.now.Year(), d.now.Month(), d.now.Day(), known && d.timed && !d.weekday
}

func isYear(n string) bool { return len(n) > 2 || value(n) > 31 }

// year completes a two-digit year.
func year(n string) int {
	y := value(n)
	switch {
	case len(n) > 2:
		return y
	case y < 69:
		return 2000 + y
	}
	return 1900 + y
}

// abbreviation returns the offset of a well-known time zone in hours.
func abbreviation(s string) (float64, bool) {
	switch s {
	case "z", "utc", "gmt", "wet":
		return 0, true
	case "cet", "west", "bst":
		return 1, true
	case "cest", "eet":
		return 2, true
	case "eest", "msk":
		return 3, true
	case "ist":
		return 5.5, true
	case "jst", "kst":
		return 9, true
	case "ast", "edt":
		return -4, true
	case "est", "cdt":
		return -5, true
	case "cst", "mdt":
		return -6, true
	case "mst", "pdt":
		return -7, true
	case "pst", "akdt":
		return -8, true
	}
	return 0, false
}
