package format

import (
	"fmt"
	"slices"
	"strings"
)

// glChange is a field of an issue or merge request before and after an update: text, a number, or a list of objects.
type glChange struct {
	Previous any `json:"previous"`
	Current  any `json:"current"`
}

// glFields lists the fields whose changes are posted with both values, in this order. Others, such as the time of the
// change, say nothing about it.
var glFields = []struct{ key, label string }{
	{"title", "Title"}, {"target_branch", "Target branch"}, {"source_branch", "Source branch"}, {"due_date", "Due date"},
	{"weight", "Weight"}, {"severity", "Severity"}, {"health_status", "Health"},
}

// changed describes what an update changed.
func (p *glPayload) changed() []string {
	var all []string
	add := func(format string, args ...any) { all = append(all, fmt.Sprintf(format, args...)) }
	if o := p.Object; o.OldRevision != "" {
		text := "Pushed new commits"
		if c := o.LastCommit; c.ID != "" {
			first, _, _ := strings.Cut(strings.TrimSpace(c.Message), "\n")
			text += fmt.Sprintf(", the last of which is %s (%s)", title(first), link(c.ID[:min(len(c.ID), 11)], c.URL))
		}
		add("%s", text)
	}
	for _, of := range []struct{ key, added, removed string }{
		{"assignees", "Assigned %s", "Unassigned %s"},
		{"reviewers", "Requested a review from %s", "Removed %s from the reviewers"},
		{"labels", "Added the labels %s", "Removed the labels %s"},
	} {
		added, removed := p.Changes[of.key].difference()
		if len(added) > 0 {
			add(of.added, strings.Join(added, ", "))
		}
		if len(removed) > 0 {
			add(of.removed, strings.Join(removed, ", "))
		}
	}
	for _, of := range []struct{ key, yes, no string }{
		{"draft", "Marked as draft", "Marked as ready"}, {"work_in_progress", "Marked as draft", "Marked as ready"},
		{"confidential", "Made confidential", "Made public"},
		{"discussion_locked", "Locked the discussion", "Unlocked the discussion"},
	} {
		c, ok := p.Changes[of.key]
		text := of.no
		if asText(c.Current) == "true" {
			text = of.yes
		}
		if ok && !slices.Contains(all, text) {
			all = append(all, text)
		}
	}
	for _, f := range glFields {
		if c, ok := p.Changes[f.key]; ok {
			add("%s: %s → %s", f.label, fieldValue(asText(c.Previous)), fieldValue(asText(c.Current)))
		}
	}
	for _, of := range []struct{ key, text string }{
		{"description", "Edited the description"}, {"milestone_id", "Changed the milestone"},
		{"iteration_id", "Changed the iteration"}, {"time_estimate", "Changed the estimate"},
		{"total_time_spent", "Changed the time spent"},
	} {
		if _, ok := p.Changes[of.key]; ok {
			all = append(all, of.text)
		}
	}
	return all
}

// difference returns the names that were added to and removed from a list.
func (c glChange) difference() (added, removed []string) {
	before, after := names(c.Previous), names(c.Current)
	for _, name := range after {
		if !slices.Contains(before, name) {
			added = append(added, name)
		}
	}
	for _, name := range before {
		if !slices.Contains(after, name) {
			removed = append(removed, name)
		}
	}
	return added, removed
}

// maxNames is the maximum number of names in a list, such as the labels of an issue.
const maxNames = 20

// names returns the texts of the elements of a list.
func names(list any) []string {
	all, ok := list.([]any)
	if !ok {
		all = []any{list}
	}
	var texts []string
	for _, one := range all[:min(len(all), maxNames)] {
		if text := title(asText(one)); text != "" {
			texts = append(texts, text)
		}
	}
	return texts
}
