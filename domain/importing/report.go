package importing

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Outcome is what becomes of a record. Each record has exactly one.
type Outcome string

// The outcomes.
const (
	Imported  Outcome = "imported"
	Converted Outcome = "converted" // imported, but something is lost
	Skipped   Outcome = "skipped"   // left out by a rule
	Refused   Outcome = "refused"   // malformed
)

// Loss says what is lost of a record that is imported.
type Loss struct {
	Reason string `json:"r"`
	Where  string `json:"w,omitempty"` // file, line or ID
}

// Limits of what a report says about an archive, whose names, types and texts can have any length.
const (
	maxExamples = 20   // of a reason
	maxText     = 1000 // code points of a reason, of an example and of a sentence
)

// Report counts the records of an import.
type Report struct {
	counts  map[Kind]*Count
	reasons map[reasonKey]*Reason
	notes   []string

	collisions []Collision
}

// Collision is a channel or a group that is called otherwise here, because its name is in use, invalid or too long, or
// because somebody has chosen another one.
type Collision struct {
	Kind Kind   `json:"kind"`
	Key  Key    `json:"key"`       // of the record in the archive
	Name string `json:"name"`      // there
	Here string `json:"name_here"` // unless somebody chooses another one
}

// maxCollisions is the maximum number of collisions in a report.
const maxCollisions = 1000

// Collide adds a collision, or changes the name here of one that is known.
func (r *Report) Collide(c Collision) {
	for i := range r.collisions {
		if x := &r.collisions[i]; x.Kind == c.Kind && x.Key == c.Key {
			x.Here = c.Here
			return
		}
	}
	if c.Name = Shorten(c.Name, maxText); len(r.collisions) < maxCollisions && len(c.Key) <= maxText {
		r.collisions = append(r.collisions, c)
	}
}

// Collisions returns the collisions in the order of the archive.
func (r *Report) Collisions() []Collision { return append([]Collision{}, r.collisions...) }

// Count contains the numbers of records of a kind.
type Count struct {
	Kind      Kind  `json:"kind"`
	Imported  int64 `json:"imported"`
	Converted int64 `json:"converted"`
	Skipped   int64 `json:"skipped"`
	Refused   int64 `json:"refused"`
}

// Reason is why records were not simply imported.
type Reason struct {
	Kind     Kind     `json:"kind"`
	Outcome  Outcome  `json:"outcome"`
	Reason   string   `json:"reason"` // in English
	Code     string   `json:"code"`   // a stable name of the reason; "": it has none
	Detail   string   `json:"detail"` // what the reason ends with, such as the name of an emoji; "": nothing
	Count    int64    `json:"count"`
	Examples []string `json:"examples,omitempty"` // the first 20, of at most 1000 code points each
}

type reasonKey struct {
	kind    Kind
	outcome Outcome
	reason  string
}

// NewReport returns an empty report.
func NewReport() *Report {
	return &Report{counts: map[Kind]*Count{}, reasons: map[reasonKey]*Reason{}}
}

// Count counts a record. reason is "" for Imported. example says where the record is.
func (r *Report) Count(k Kind, o Outcome, reason, example string) { r.Add(k, o, 1, reason, example) }

// Add counts n records.
func (r *Report) Add(k Kind, o Outcome, n int64, reason, example string) {
	c := r.counts[k]
	if c == nil {
		c = &Count{Kind: k}
		r.counts[k] = c
	}
	switch o {
	case Imported:
		c.Imported += n
	case Converted:
		c.Converted += n
	case Skipped:
		c.Skipped += n
	case Refused:
		c.Refused += n
	}
	if o == Imported {
		return
	}
	key := r.key(k, o, reason)
	why := r.reasons[key]
	if why == nil {
		why = &Reason{Kind: k, Outcome: o, Reason: key.reason}
		why.Code, why.Detail = code(key.reason)
		r.reasons[key] = why
	}
	why.Count += n
	if example != "" && len(why.Examples) < maxExamples {
		why.Examples = append(why.Examples, Shorten(example, maxText))
	}
}

// key returns where a reason is counted: archives can contain any number of them.
func (r *Report) key(k Kind, o Outcome, reason string) reasonKey {
	key := reasonKey{k, o, Shorten(reason, maxText)}
	if r.reasons[key] == nil && len(r.reasons) >= maxReasons {
		key.reason = manyReasons
	}
	return key
}

// Passed counts a record that is imported, as converted if something is lost.
func (r *Report) Passed(k Kind, l *Loss) {
	if l == nil {
		r.Count(k, Imported, "", "")
		return
	}
	r.Count(k, Converted, l.Reason, l.Where)
}

// Retract takes back what Passed has counted, for a record that ends in another count.
func (r *Report) Retract(k Kind, l *Loss) {
	if l == nil {
		r.Add(k, Imported, -1, "", "")
		return
	}
	r.Add(k, Converted, -1, l.Reason, "")
	key := reasonKey{k, Converted, Shorten(l.Reason, maxText)}
	if r.reasons[key] == nil {
		key.reason = manyReasons
	}
	why := r.reasons[key]
	example := Shorten(l.Where, maxText)
	why.Examples = slices.DeleteFunc(why.Examples, func(where string) bool { return where == example })
	if why.Count == 0 {
		delete(r.reasons, key)
	}
}

// Note adds a sentence about the import as a whole, once.
func (r *Report) Note(format string, args ...any) {
	if text := Shorten(fmt.Sprintf(format, args...), maxText); !slices.Contains(r.notes, text) {
		r.notes = append(r.notes, text)
	}
}

// Notes returns the sentences.
func (r *Report) Notes() []string { return append([]string{}, r.notes...) }

// Counts returns the numbers of records, sorted by kind.
func (r *Report) Counts() []Count {
	out := make([]Count, 0, len(r.counts))
	for _, c := range r.counts {
		out = append(out, *c)
	}
	slices.SortFunc(out, func(a, b Count) int { return strings.Compare(string(a.Kind), string(b.Kind)) })
	return out
}

// Reasons returns the reasons, by kind and the most frequent first.
func (r *Report) Reasons() []Reason {
	out := make([]Reason, 0, len(r.reasons))
	for _, c := range r.reasons {
		out = append(out, *c)
	}
	slices.SortFunc(out, func(a, b Reason) int {
		return cmp.Or(strings.Compare(string(a.Kind), string(b.Kind)), cmp.Compare(b.Count, a.Count),
			strings.Compare(string(a.Outcome), string(b.Outcome)), strings.Compare(a.Reason, b.Reason))
	})
	return out
}

// Of returns the numbers of records of a kind.
func (r *Report) Of(k Kind) Count {
	if c := r.counts[k]; c != nil {
		return *c
	}
	return Count{Kind: k}
}

// Malformed counts n elements of a list that could not be read.
func (r *Report) Malformed(k Kind, n int, example string) {
	if n > 0 {
		r.Add(k, Refused, int64(n), "malformed", example)
	}
}

// Join adds the counts, reasons and sentences of another report.
func (r *Report) Join(o *Report) {
	for k, c := range o.counts {
		r.Add(k, Imported, c.Imported, "", "")
	}
	for key, why := range o.reasons {
		r.Add(key.kind, key.outcome, why.Count, key.reason, "")
		mine := r.reasons[r.key(key.kind, key.outcome, key.reason)]
		mine.Examples = append(mine.Examples, why.Examples...)
		mine.Examples = mine.Examples[:min(len(mine.Examples), maxExamples)]
	}
	for _, c := range o.collisions {
		r.Collide(c)
	}
	for _, text := range o.notes {
		r.Note("%s", text)
	}
}
