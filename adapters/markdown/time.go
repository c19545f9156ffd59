package markdown

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// times finds <time:when>; what is no time stays text, and nothing else is looked for in it (markdown.md §10.4).
func (in *inline) times(s string, _ int) string {
	const mark = "<time:"
	return in.each(s, '<', func(r *rewriting, at int) int {
		if !strings.HasPrefix(s[at:], mark) {
			return at + 1
		}
		n := strings.IndexAny(s[at+len(mark):], ">\n")
		if n < 0 {
			return len(s)
		}
		end := at + len(mark) + n
		if s[end] != '>' {
			return end
		}
		text := in.written(s[at+len(mark) : end])
		if t, ok := when(text); ok {
			r.replace(at, end+1, &span{tag: "time", text: text, attrs: []attr{{"datetime", stamp(t)}}})
		} else {
			r.replace(at, end+1, &plain{text: "<time:" + text + ">", raw: true})
		}
		return end + 1
	})
}

// stamp writes a time for clients: microseconds only if there are any.
func stamp(t time.Time) string {
	if t.Nanosecond() == 0 {
		return t.Format("2006-01-02T15:04:05Z")
	}
	return t.Format("2006-01-02T15:04:05.000000Z")
}

// dayLayouts and clockLayouts are ways to write a day and a time of day; each pair is understood, and a day alone.
func dayLayouts() []string {
	return []string{
		"2006-01-02", "2006/01/02", "20060102", "01/02/2006", "Jan 2, 2006", "Jan 2 2006", "January 2, 2006", "January 2 2006", "2 Jan 2006",
		"2 January 2006", "Mon, 2 Jan 2006", "Mon Jan 2 2006", "Monday, January 2, 2006",
	}
}

func clockLayouts() []string {
	return []string{"15:04:05", "15:04", "15:04:05.999999999", "3:04pm", "3:04 pm", "3:04:05 pm", "3pm", "3 pm", "150405", "1504", "15"}
}

// when reads UNIX seconds, ISO 8601 and common ways to write a time; without a zone it is in UTC.
func when(s string) (time.Time, bool) {
	s = strings.TrimSpace(s)
	if len(s) > 60 {
		return time.Time{}, false
	}
	if f, err := strconv.ParseFloat(s, 64); err == nil {
		if len(s) == 8 && digits(s) { // a date without dashes
			if t, err := time.Parse("20060102", s); err == nil {
				return t, true
			}
		}
		if strings.Trim(s, "0123456789+-.eE") != "" || f < -6e10 || f > 2.5e11 {
			return time.Time{}, false
		}
		whole, part := math.Modf(f)
		return proper(time.Unix(int64(whole), int64(math.Round(part*1e6))*1000))
	}
	local, zone := zoned(s)
	for _, day := range dayLayouts() {
		if t, err := time.ParseInLocation(day, local, zone); err == nil {
			return proper(t)
		}
		for _, clock := range clockLayouts() {
			for _, between := range []string{" ", "T", " at ", ", "} {
				if t, err := time.ParseInLocation(day+between+clock, local, zone); err == nil {
					return proper(t)
				}
			}
		}
	}
	return time.Time{}, false
}

func proper(t time.Time) (time.Time, bool) {
	t = t.UTC().Truncate(time.Microsecond)
	return t, t.Year() >= 1 && t.Year() <= 9999
}

// zoned cuts the zone off the end of a time: Z, +02:00, -0530, or a well-known abbreviation.
func zoned(s string) (local string, zone *time.Location) {
	if cut, ok := strings.CutSuffix(s, "Z"); ok && cut != "" {
		return strings.TrimRight(cut, " "), time.UTC
	}
	if i := strings.LastIndexByte(s, ' '); i > 0 {
		if hours, ok := abbreviation(strings.ToUpper(s[i+1:])); ok {
			return strings.TrimRight(s[:i], " "), time.FixedZone("", int(hours*3600))
		}
	}
	if i := strings.LastIndexAny(s, "+-"); i > 0 && strings.IndexByte(s[:i], ':') > 0 {
		hhmm := strings.Replace(s[i+1:], ":", "", 1)
		if len(hhmm) == 2 {
			hhmm += "00"
		}
		if n, err := strconv.Atoi(hhmm); err == nil && len(hhmm) == 4 && digits(hhmm) && n%100 < 60 && n <= 2359 {
			seconds := n/100*3600 + n%100*60
			if s[i] == '-' {
				seconds = -seconds
			}
			return strings.TrimRight(strings.TrimSuffix(strings.TrimRight(s[:i], " "), "UTC"), " "), time.FixedZone("", seconds)
		}
	}
	return s, time.UTC
}

// abbreviation gives the offset of a well-known zone in hours.
func abbreviation(s string) (float64, bool) {
	switch s {
	case "UTC", "GMT", "WET":
		return 0, true
	case "CET", "WEST", "BST":
		return 1, true
	case "CEST", "EET":
		return 2, true
	case "EEST", "MSK":
		return 3, true
	case "IST":
		return 5.5, true
	case "JST", "KST":
		return 9, true
	case "AST", "EDT":
		return -4, true
	case "EST", "CDT":
		return -5, true
	case "CST", "MDT":
		return -6, true
	case "MST", "PDT":
		return -7, true
	case "PST", "AKDT":
		return -8, true
	}
	return 0, false
}
