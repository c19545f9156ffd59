package search

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// parser adds parts of a text to a query.
type parser struct {
	q      *Query
	stop   []bool // for each term of q: it is a stop word
	source string
	quoted bool
	folder folder
	text   string // the folded source
	pieces []piece
}

// add adds the words of a text.
func (p *parser) add(source string) {
	p.source = source
	p.folder = folder{}
	p.folder.track(len(source))
	p.folder.add(source, 0)
	p.text = string(p.folder.text)
	p.pieces = slices.Collect(pieces(p.text))
	for i := 0; i < len(p.pieces); i++ {
		switch p.pieces[i].kind {
		case denseText:
			p.dense(p.pieces[i])
		case word:
			last := p.compound(i)
			p.words(i, last)
			i = last
		}
	}
}

// of returns the text of a piece.
func (p *parser) of(i int) string { return p.text[p.pieces[i].from:p.pieces[i].to] }

// adjacent reports whether the pieces i and i+1 exist without a space between them.
func (p *parser) adjacent(i int) bool {
	return i >= 0 && i+1 < len(p.pieces) && p.pieces[i].to == p.pieces[i+1].from
}

// isKind reports whether a piece exists and is of a kind.
func (p *parser) isKind(i int, kind pieceKind) bool {
	return i >= 0 && i < len(p.pieces) && p.pieces[i].kind == kind
}

// compound returns the last word of the compound that begins with the word i. Words such as "well-known" are none,
// because they are also written "well known", but "well-known.example.org" is one.
func (p *parser) compound(i int) int {
	end, mixed := i, false
	for p.precedes(end) && (p.joined(end, end+1, end+2) || p.of(end+1) == "-") {
		mixed = mixed || p.of(end+1) != "-"
		end += 2
	}
	if mixed {
		return end
	}
	for end = i; p.precedes(end) && p.joined(end, end+1, end+2); {
		end += 2
	}
	return end
}

// precedes reports whether only signs are between the word i and another one.
func (p *parser) precedes(i int) bool {
	return p.adjacent(i) && p.adjacent(i+1) && p.isKind(i+1, signs) && p.isKind(i+2, word)
}

// separating contains the signs that are not a part of what is searched.
const separating = ",;!?\"`"

// joined reports whether the words left and right are to be searched together with the signs between them.
func (p *parser) joined(left, sign, right int) bool {
	a, run, b := p.of(left), p.of(sign), p.of(right)
	single := isSingle(a) || isSingle(b)
	if joins(run) {
		return run != "-" || single || !onlyLetters(a) || !onlyLetters(b)
	}
	if run == "," { // in a number
		return !strings.ContainsFunc(a+b, func(r rune) bool { return !unicode.IsDigit(r) })
	}
	return single && !strings.ContainsFunc(run, func(r rune) bool {
		return separates(r) && !unicode.In(r, unicode.Ps, unicode.Pe) // as in f(x)
	})
}

// separates reports whether a sign is not a part of what is searched.
func separates(r rune) bool {
	return strings.ContainsRune(separating, r) || unicode.In(r, unicode.Pi, unicode.Pf, unicode.Ps, unicode.Pe, unicode.C)
}

func onlyLetters(w string) bool {
	return !strings.ContainsFunc(w, func(r rune) bool { return !unicode.IsLetter(r) && !isMark(r) })
}

// words adds the words first to last, between which there are signs.
func (p *parser) words(first, last int) {
	lead, trail := p.ends(first, last)
	from, to := p.pieces[first].from-len(lead), p.pieces[last].to+len(trail)
	if first == last && lead == "" && trail == "" {
		w := clip(p.of(first), maxWord)
		t := termOf(w)
		t.quoted, t.former = p.quoted, formerWord(p.sourceOf(from, to))
		p.q.Terms = append(p.q.Terms, t)
		p.stop = append(p.stop, stopWords[exactly(p.sourceOf(from, to))])
		return
	}
	l := Literal{forms: []string{p.text[from:to]}, quoted: p.quoted}
	covered := make([]bool, last+1)
	look := func(token string, words ...int) {
		l.lookups = append(l.lookups, p.exact(token, words[0]))
		for _, i := range words {
			covered[i] = true
		}
	}
	l.forms = append(l.forms, mentions(lead, p.text[from+len(lead):to])...)
	if lead != "" && len(l.forms) == 1 && slices.Contains(slices.Collect(before(lead, false)), lead) {
		look(beforeToken(lead, p.of(first)), first)
	}
	if trail != "" && slices.Contains(slices.Collect(after(trail, false)), trail) {
		look(afterToken(p.of(last), trail), last)
	}
	for i := first; i < last; i += 2 {
		if joins(p.of(i + 1)) {
			look(pairToken(p.of(i), p.of(i+1), p.of(i+2)), i, i+2)
		}
	}
	for i := first; i <= last; i += 2 {
		if !covered[i] {
			look(clip(p.of(i), maxWord), i)
		}
	}
	l.lookups = l.lookups[:min(len(l.lookups), perLiteral)]
	p.q.Literals = append(p.q.Literals, l)
}

// exact returns a condition for a token of the word i.
func (p *parser) exact(token string, i int) Term {
	return Term{Exact: []string{token}, former: formerWord(p.sourceOf(p.pieces[i].from, p.pieces[i].to))}
}

// mentions returns how a message mentions the user, group or channel whose name begins with a text.
func mentions(lead, name string) []string {
	if r, _ := utf8.DecodeRuneInString(name); !unicode.IsLetter(r) {
		return nil
	}
	switch lead {
	case "#":
		return []string{"#**" + name}
	case "@":
		return []string{"@**" + name, "@_**" + name, "@*" + name, "@_*" + name}
	}
	return nil
}

// ends returns the signs before and after the words first to last that belong to them.
func (p *parser) ends(first, last int) (lead, trail string) {
	single := first == last && isSingle(p.of(first))
	if p.isKind(first-1, signs) && p.adjacent(first-1) {
		inside := p.isKind(first-2, word) && p.adjacent(first-2)
		if run := p.of(first - 1); !inside || !joins(run) {
			lead = longest(before(run, inside))
			if single && !inside {
				lead = runBefore(run)
			}
		}
	}
	if p.adjacent(last) && p.isKind(last+1, signs) {
		inside := p.isKind(last+2, word) && p.adjacent(last+1)
		if run := p.of(last + 1); !inside || !joins(run) {
			trail = longest(after(run, inside))
			if single && !inside {
				trail = runAfter(run)
			}
		}
	}
	return lead, trail
}

func longest(all func(func(string) bool)) (most string) {
	all(func(s string) bool { most = s; return true })
	return most
}

// runBefore returns the signs directly before a single letter, which is not searched without them.
func runBefore(run string) string {
	i := strings.LastIndexFunc(run, func(r rune) bool { return separates(r) || strings.ContainsRune(`'*`, r) })
	if i >= 0 {
		_, size := utf8.DecodeRuneInString(run[i:])
		i += size
	}
	return run[max(i, 0):]
}

// runAfter returns the signs directly after a single letter, except those that end a sentence.
func runAfter(run string) string {
	if i := strings.IndexFunc(run, separates); i >= 0 {
		run = run[:i]
	}
	return strings.TrimRight(run, ".:'…")
}

// dense adds a run of dense characters.
func (p *parser) dense(run piece) {
	text := strings.TrimRight(p.text[run.from:run.to], string(tsheg))
	l := Literal{forms: []string{text}, quoted: p.quoted}
	all := slices.Collect(units(text))
	if len(all) > 0 && combines(all[0]) {
		all = all[1:] // in messages, it has a letter
	}
	var former []string
	if source := p.sourceOf(run.from, run.from+len(text)); strings.ContainsFunc(source, isNewlyDense) {
		former = formerWord(source)
	}
	for i := range max(len(all)-1, min(len(all), 1)) {
		token := all[i]
		if len(all) > 1 {
			token += all[i+1]
		}
		l.lookups = append(l.lookups, Term{Exact: []string{token}, former: former})
	}
	l.lookups = spread(l.lookups, perLiteral)
	p.q.Literals = append(p.q.Literals, l)
}

// spread returns at most n elements of a list, evenly distributed.
func spread(all []Term, n int) []Term {
	if len(all) <= n {
		return all
	}
	out := make([]Term, n)
	for i := range out {
		out[i] = all[i*(len(all)-1)/(n-1)]
	}
	return out
}

// sourceOf returns the part of the source from which a part of the folded text stems.
func (p *parser) sourceOf(from, to int) string {
	s := p.folder.source(from, to)
	return p.source[s.from:s.to]
}

// dropStopWords removes stop words, unless the query has no other words.
func (p *parser) dropStopWords() {
	if len(p.q.Literals) == 0 && !slices.Contains(p.stop, false) {
		return
	}
	var kept []Term
	for i, t := range p.q.Terms {
		if !p.stop[i] {
			kept = append(kept, t)
		}
	}
	p.q.Terms = kept
}
