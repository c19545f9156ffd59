package apidocs

import (
	"slices"
	"strings"
)

// entry is what a search can find.
type entry struct {
	Kind, Title, Text, Page string

	words string // lower case
}

// shownResults is how many results of a search are shown.
const shownResults = 50

// index lists everything that a search can find.
func (p *pages) index() []entry {
	var all []entry
	add := func(kind, title, text, page string, more ...string) {
		words := strings.ToLower(strings.Join(append(more, title, text), " "))
		all = append(all, entry{Kind: kind, Title: title, Text: text, Page: page, words: words})
	}
	for _, o := range p.operations {
		names := []string{o.Path}
		for _, f := range slices.Concat(o.Fields, o.Results) {
			names = append(names, f.Name)
		}
		add(o.Method, o.ID, o.Summary, o.ID, names...)
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
	for _, f := range p.errors {
		if f.Name == "code" {
			for _, code := range f.Schema.Enum {
				add("error", strings.Trim(literal(code), `"`), "", "errors")
			}
		}
	}
	for _, g := range guides {
		add("guide", g.Title, g.About, "guides/"+g.Name, g.text)
	}
	for _, g := range p.guides {
		add("guide", g.Title, "", "guides/"+g.Under+"/"+g.Name, g.Text)
	}
	slices.SortFunc(all, func(a, b entry) int { return strings.Compare(a.Title, b.Title) })
	return all
}

// search returns the entries that contain all words of a query, those with a word in the title first.
func (p *pages) search(query string) []entry {
	words := strings.Fields(strings.ToLower(query))
	if len(words) == 0 {
		return nil
	}
	var first, rest []entry
	for _, e := range p.entries {
		title := strings.ToLower(e.Title)
		switch {
		case slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(e.words, w) }):
		case slices.ContainsFunc(words, func(w string) bool { return strings.Contains(title, w) }):
			first = append(first, e)
		default:
			rest = append(rest, e)
		}
	}
	all := slices.Concat(first, rest)
	return all[:min(len(all), shownResults)]
}
