package format

import (
	"fmt"
	"path"
	"strings"
)

// Helpers for services that host Git repositories.

// gitOptions returns the URL options of Git hosts, followed by more.
func gitOptions(more ...Option) []Option {
	return append([]Option{{Key: "branches", Label: "Branches, separated by commas", Validator: "check_string"}}, more...)
}

type commit struct {
	ID, Message, URL string
}

type push struct {
	actor, ref, before, after, compare, repo string
	commits                                  []commit
	total                                    int
	forced                                   bool
}

// noCommit reports whether a commit ID is empty or all zeros, which means that there is no commit.
func noCommit(id string) bool { return strings.Trim(id, "0") == "" }

func branch(ref string) string { return strings.TrimPrefix(ref, "refs/heads/") }

// wantsBranch reports whether the option branches is unset or includes a branch.
func (r Request) wantsBranch(name string) bool {
	all := r.Params["branches"]
	if strings.TrimSpace(all) == "" {
		return true
	}
	for _, pattern := range strings.Split(all, ",") {
		if ok, err := path.Match(strings.TrimSpace(pattern), name); err == nil && ok {
			return true
		}
	}
	return false
}

// message returns the message for a push to a branch or tag.
func (p push) message() Message {
	if tag, ok := strings.CutPrefix(p.ref, "refs/tags/"); ok {
		verb := "pushed"
		if noCommit(p.after) {
			verb = "removed"
		}
		return Message{Topic: p.repo, Content: fmt.Sprintf("%s %s tag %s.", p.actor, verb, code(tag))}
	}
	name := branch(p.ref)
	m := Message{Topic: p.repo + " / " + name}
	switch {
	case noCommit(p.after):
		m.Content = fmt.Sprintf("%s deleted branch %s.", p.actor, code(name))
		return m
	case noCommit(p.before) && p.total == 0:
		m.Content = fmt.Sprintf("%s created branch %s.", p.actor, link(name, p.compare))
		return m
	case p.forced:
		m.Content = fmt.Sprintf("%s force-pushed to branch %s.", p.actor, link(name, p.compare))
	default:
		m.Content = fmt.Sprintf(
			"%s %s to branch %s.",
			p.actor,
			link("pushed "+plural(p.total, "commit"), p.compare),
			code(name),
		)
	}
	lines := make([]string, len(p.commits))
	for i, c := range p.commits {
		first, _, _ := strings.Cut(strings.TrimSpace(c.Message), "\n")
		lines[i] = fmt.Sprintf("%s (%s)", title(first), link(c.ID[:min(len(c.ID), 11)], c.URL))
	}
	m.Content += list(lines, 20)
	return m
}

// item is an issue, pull request or similar object.
type item struct {
	actor, verb, kind, mark string // mark precedes the number: # or !
	number                  int
	title, url, body        string
	repo                    string
	more                    string   // text after the link
	changes                 []string // what an update changed
}

func (t item) message() Message {
	name := fmt.Sprintf("%s%d", t.mark, t.number)
	return Message{
		Topic: truncate(fmt.Sprintf("%s / %s %s %s", t.repo, t.kind, name, line(t.title)), 60),
		Content: fmt.Sprintf("%s %s %s%s.%s%s",
			t.actor, t.verb, link(t.kind+" "+name+" "+t.title, t.url), t.more, list(t.changes, 20), quote(t.body)),
	}
}
