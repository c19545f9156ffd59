package mailin

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

const (
	maxAttribution   = 3   // lines that introduce a quotation
	maxSignature     = 15  // lines; what follows "-- " is not a signature if it is longer
	maxBareSignature = 4   // lines; the same for "--"
	maxHeaders       = 24  // lines of the headers above a quoted email
	maxSeparator     = 300 // bytes of a line such as "-----Original Message-----"
)

// Reply returns the text of a reply without what it quotes at its end, or before all of its own words, from the email
// that it replies to. Quotations between the sender's own words are kept, and so is everything that could be the
// sender's own.
func Reply(text string) string {
	lines := splitLines(text)
	lines = lines[:quotedFrom(lines)]
	lines = withoutQuotation(lines)
	if i := signature(lines); i >= 0 {
		lines = withoutQuotation(lines[:i])
	}
	return strings.TrimSpace(strings.Join(withoutFirstQuotation(lines), "\n"))
}

// splitLines splits a text into lines, whatever their ends.
func splitLines(text string) []string {
	text = strings.TrimPrefix(strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n"), "\uFEFF")
	return strings.Split(text, "\n")
}

// quotedFrom returns the index of the first line of an email that is copied below the reply without quote marks, or the
// number of lines.
func quotedFrom(lines []string) int {
	for i, line := range lines {
		switch {
		case isOriginal(line) || isHeaders(lines[i:], false):
			return withoutRule(lines, i)
		case isRule(line) && isHeaders(afterBlank(lines[i+1:]), true):
			return i
		}
		if n := unmarked(lines[i:]); n > 0 {
			return i
		}
	}
	return len(lines)
}

// rule matches a line above a quoted email.
var rule = regexp.MustCompile(`^[\s*]*(?:_{5,}|-{3,}|—{3,}|={5,}|\*{3,}|(?:\* ){2,}\*)\s*$`)

func isRule(line string) bool { return rule.MatchString(line) }

// withoutRule returns the index of the rule above line i, or i.
func withoutRule(lines []string, i int) int {
	for above := i - 1; above >= 0; above-- {
		switch {
		case isRule(lines[above]):
			return above
		case !isBlank(lines[above]):
			return i
		}
	}
	return i
}

// separator matches a line such as "-----Original Message-----".
var separator = regexp.MustCompile(`^[\s*>]*[-_‐‑–—=]{2,}[\s*]*([^-_‐‑–—=*].{0,60}?)[\s*]*[-_‐‑–—=]{2,}[\s*]*$`)

func isOriginal(line string) bool {
	if strings.HasPrefix(line, ">") || len(line) > maxSeparator {
		return false
	}
	found := separator.FindStringSubmatch(plainSpaces(line))
	if found == nil {
		return false
	}
	text := strings.ToLower(strings.TrimSpace(found[1]))
	return originals[text] || text == "original" && strings.Contains(line, "----------")
}

// isHeaders reports whether lines begin with the headers of a quoted email: From, and at least one more. Since people
// also write such lines themselves, one of them must be the subject or contain an address, unless there is a rule
// above.
func isHeaders(lines []string, ruled bool) bool {
	if len(lines) == 0 || strings.HasPrefix(lines[0], ">") {
		return false
	}
	var found field
	in, address, last := ^languages(0), false, field(0)
	for i, line := range lines[:min(len(lines), maxHeaders)] {
		if isBlank(line) {
			if i == 0 || last == 0 || i+1 < len(lines) && isBlank(lines[i+1]) {
				break
			}
			continue // HTML with a paragraph for each header
		}
		f, common, value := headerLine(line, in)
		switch {
		case f == 0 && i > 0 && !isBlank(lines[i-1]) && continues(line, last):
			continue
		case f == 0 || found&f != 0 || i == 0 && f != fromField && !ruled:
			return complete(found, address, ruled)
		}
		address = address || f == fromField && strings.Contains(value, "@")
		found, in, last = found|f, common, f
	}
	return complete(found, address, ruled)
}

// continues reports whether a line continues a long header.
func continues(line string, last field) bool {
	return last == toField || last == copyField ||
		last == fromField && strings.IndexAny(strings.TrimSpace(line), "<[") == 0
}

// complete reports whether the headers found are those of a quoted email.
func complete(found field, address, ruled bool) bool {
	n := 0
	for f := fromField; f <= copyField; f <<= 1 {
		if found&f != 0 {
			n++
		}
	}
	switch {
	case found&fromField == 0:
		return false
	case ruled && (n >= 3 || found&sentField != 0):
		return true
	case found&subjectField != 0:
		return n >= 3 || n == 2 && address
	}
	return found&sentField != 0 && address
}

// headerLine parses a header of a quoted email in one of the languages. It returns field 0 for other lines.
func headerLine(line string, in languages) (f field, common languages, value string) {
	line = plainSpaces(line)
	end := strings.IndexAny(line, ":：")
	if end < 0 || end > 60 {
		return 0, 0, ""
	}
	name := strings.ToLower(strings.Trim(line[:end], " *_"))
	value = strings.Trim(strings.TrimLeft(line[end:], ":："), " *_")
	for f := fromField; f <= copyField; f <<= 1 {
		if common := headerFields[name][f] & in; common != 0 {
			return f, common, value
		}
	}
	return 0, 0, ""
}

// unmarked returns the number of lines at the beginning that introduce a quotation without quote marks, as Yahoo writes
// them, or 0. They must name an address or a time: otherwise they may be the sender's own.
func unmarked(lines []string) int {
	joined := ""
	for i, line := range lines[:min(len(lines), maxAttribution)] {
		if isBlank(line) || strings.HasPrefix(line, ">") || i == 0 && !opening.MatchString(plainSpaces(line)) &&
			!strings.Contains(line, "@") {
			return 0
		}
		if joined += " " + line; len(joined) > 2*maxSeparator {
			return 0
		}
		if !endsIntroduction(joined) {
			continue
		}
		rest := afterBlank(lines[i+1:])
		exact := bracketed.MatchString(joined) || year.MatchString(joined) && timeOfDay.MatchString(joined)
		if wrote.MatchString(joined) && exact && len(rest) > 0 && !strings.HasPrefix(rest[0], ">") {
			return i + 1
		}
		return 0
	}
	return 0
}

var (
	bracketed = regexp.MustCompile(`[<(\[][^<>()\[\]\s]+@`) // an address
	timeOfDay = regexp.MustCompile(`\d{1,2}[:.h]\d\d`)
	year      = regexp.MustCompile(`(?:19|20)\d\d|\d{1,2}[/.]\d{1,2}[/.]\d\d`)
)

// endsIntroduction reports whether a line ends as those above quotations do: with a colon, or as in
// "---- Ada wrote ----".
func endsIntroduction(line string) bool {
	line = strings.TrimRight(plainSpaces(line), " *_")
	return strings.HasSuffix(line, ":") || strings.HasSuffix(line, "：") ||
		strings.HasPrefix(strings.TrimLeft(line, " *"), "----") && strings.HasSuffix(line, "----")
}

// withoutQuotation removes quotations with quote marks, and what introduces them, from the end of the lines.
func withoutQuotation(lines []string) []string {
	lines = trimEnd(lines)
	end := len(lines)
	for end > 0 && strings.HasPrefix(lines[end-1], ">") {
		end = len(trimEnd(lines[:end-1]))
	}
	if end == len(lines) {
		return lines
	}
	lines = trimEnd(lines[:end-introduction(lines[:end])])
	if len(lines) > 0 && isRule(lines[len(lines)-1]) {
		lines = trimEnd(lines[:len(lines)-1])
	}
	return lines
}

// introduction returns the number of lines at the end that introduce a quotation. It returns 0 if they may be the
// sender's own words.
func introduction(lines []string) int {
	paragraph := 0
	for paragraph < min(len(lines), maxAttribution) && !isBlank(lines[len(lines)-1-paragraph]) {
		paragraph++
	}
	best := 0
	for n := 1; n <= paragraph; n++ {
		begin := lines[len(lines)-n:]
		joined := plainSpaces(strings.Join(begin, " "))
		if strings.HasPrefix(begin[0], ">") || !isIntroduction(joined) {
			continue
		}
		if opening.MatchString(plainSpaces(begin[0])) && (year.MatchString(joined) || timeOfDay.MatchString(joined)) {
			return n
		}
		if best == 0 && strings.Count(joined, "<") >= strings.Count(joined, ">") {
			best = n
		}
	}
	return best
}

// isIntroduction reports whether a line, such as "On Monday, Ada wrote:", introduces a quotation.
func isIntroduction(line string) bool {
	return len(line) < 2*maxSeparator && endsIntroduction(line) && (wrote.MatchString(line) ||
		strings.Contains(line, "@") || year.MatchString(line) && timeOfDay.MatchString(line))
}

// withoutFirstQuotation removes a quotation above all of the sender's own words, if a line introduces it as one.
func withoutFirstQuotation(lines []string) []string {
	rest := afterBlank(lines)
	begin := 0
	for begin < min(len(rest), maxAttribution) && !isBlank(rest[begin]) && !strings.HasPrefix(rest[begin], ">") {
		begin++
	}
	quote := afterBlank(rest[begin:])
	if begin == 0 || introduction(rest[:begin]) != begin || len(quote) == 0 || !strings.HasPrefix(quote[0], ">") {
		return lines
	}
	for len(quote) > 0 && (strings.HasPrefix(quote[0], ">") || isBlank(quote[0])) {
		quote = quote[1:]
	}
	for _, line := range quote {
		if strings.HasPrefix(line, ">") {
			return lines // the own words are between quotations
		}
	}
	return quote
}

// signature returns the index of the line above a signature (RFC 3676, section 4.3), or -1. Some encodings remove the
// space at its end; then what follows must look like a signature, which is short and not a list.
func signature(lines []string) int {
	for i := len(lines) - 1; i >= max(0, len(lines)-1-maxSignature); i-- {
		switch lines[i] {
		case "-- ":
			return i
		case "--":
			rest := lines[i+1:]
			if len(rest) <= maxBareSignature && !slices.ContainsFunc(rest, isBlank) &&
				!slices.ContainsFunc(rest, item.MatchString) {
				return i
			}
			return -1
		}
	}
	return -1
}

// item matches an item of a list.
var item = regexp.MustCompile(`^\s*(?:[-*+•]|\d+[.)])\s`)

// afterBlank returns the lines without blank ones at the beginning.
func afterBlank(lines []string) []string {
	for len(lines) > 0 && isBlank(lines[0]) {
		lines = lines[1:]
	}
	return lines
}

func trimEnd(lines []string) []string {
	for len(lines) > 0 && isBlank(lines[len(lines)-1]) && lines[len(lines)-1] != "-- " {
		lines = lines[:len(lines)-1]
	}
	return lines
}

func isBlank(line string) bool { return strings.TrimSpace(line) == "" }

// plainSpaces replaces the spaces that mail clients write in dates, and in French before colons, and removes marks of
// the direction of text.
func plainSpaces(line string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\u200E' || r == '\u200F' || r >= '\u202A' && r <= '\u202E' || r == '\u2066' || r == '\u2069':
			return -1
		case unicode.IsSpace(r):
			return ' '
		}
		return r
	}, line)
}
