package apidocs

import (
	"cmp"
	"slices"
	"strings"
)

// entry is what a search can find.
type entry struct {
	Kind, Title, Text, Page string

	head  string // the title, the summary and words.txt, in lower case
	words string // all that is searched, in lower case
}

// shownResults is how many results of a search are shown.
const shownResults = 50

// index lists everything that a search can find.
func (p *pages) index() []entry {
	var all []entry
	add := func(kind, title, text, page string, more ...string) {
		words := strings.ToLower(strings.Join(append(more, title, text), " "))
		head := strings.ToLower(title + " " + text)
		all = append(all, entry{Kind: kind, Title: title, Text: text, Page: page, head: head, words: words})
	}
	for _, o := range p.operations {
		names := []string{o.Path}
		for _, f := range slices.Concat(o.Fields, o.Results) {
			names = append(names, f.Name)
		}
		add(o.Method, o.ID, o.Summary, o.ID, names...)
		last := &all[len(all)-1]
		last.head += " " + otherWords[o.ID]
		last.words += " " + otherWords[o.ID]
	}
	for _, g := range slices.Concat(p.events, p.entities) {
		var names []string
		for _, s := range g.Schemas {
			for _, f := range s.Fields {
				names = append(names, f.Name)
			}
		}
		kind := strings.TrimSuffix(g.Folder, "/")
		add(kind, g.Name, g.Doc, g.Folder+g.Name, names...)
	}
	for _, c := range p.errorCodes() {
		add("error", c.Name, c.Meaning, "errors#"+c.Name)
	}
	for _, g := range guides {
		add("guide", g.Title, g.About, "guides/"+g.Name, g.text)
	}
	for _, g := range p.guides {
		add("guide", g.Title, "", "guides/"+g.Under+"/"+g.Name, g.Text)
	}
	slices.SortFunc(all, func(a, b entry) int {
		return cmp.Or(a.order()-b.order(), strings.Compare(a.Title, b.Title))
	})
	return all
}

// order returns 0 for operations and guides, 1 for what operations send and return, and 2 for pages about a service.
func (e entry) order() int {
	switch {
	case e.Kind == "events" || e.Kind == "entities" || e.Kind == "error":
		return 1
	case strings.HasPrefix(e.Page, "guides/") && strings.Count(e.Page, "/") > 1:
		return 2
	}
	return 0
}

// fillers are words that say nothing about what is searched for.
var fillers = strings.Fields("a an the to of in on as for with from how do i my is")

// search returns the entries that contain all words of a query, the likeliest first.
func (p *pages) search(query string) []entry {
	words := strings.Fields(strings.ToLower(query))
	if telling := slices.DeleteFunc(slices.Clone(words), filler); len(telling) > 0 {
		words = telling
	}
	if len(words) == 0 {
		return nil
	}
	var ranks [4][]entry
	for _, e := range p.entries {
		if slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(e.words, w) }) {
			continue
		}
		r := e.rank(words)
		ranks[r] = append(ranks[r], e)
	}
	all := slices.Concat(ranks[:]...)
	return all[:min(len(all), shownResults)]
}

func filler(word string) bool { return slices.Contains(fillers, word) }

// rank returns 0 for an entry that begins with the first word and whose head contains the others, 1 for others with all
// words in their heads, 2 if one is in the title, and 3 otherwise: long pages contain many words by chance.
func (e entry) rank(words []string) int {
	title := strings.ToLower(e.Title)
	switch {
	case !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(e.head, w) }):
		if strings.HasPrefix(title, words[0]) || strings.HasPrefix(strings.ToLower(e.Text), words[0]) {
			return 0
		}
		return 1
	case slices.ContainsFunc(words, func(w string) bool { return strings.Contains(title, w) }):
		return 2
	}
	return 3
}
