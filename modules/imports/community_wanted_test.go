package imports_test

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// program is what differs between programs in what an import makes of a community.
type program struct {
	name    string
	main    string // the topic of messages outside of threads
	gone    string // the name of somebody who is in no list
	threads bool   // threads become topics, with notices
	orphans bool   // first messages of threads can be missing
	flags   bool   // the archive says what is unread and starred
	archive func(c *community, day int) files
}

// files are the files of an archive by name: text, lines, or what is to be encoded as JSON.
type files map[string]any

// lines are the values of a file with a line for each.
type lines []any

// wanted is what an import makes of a note, or of a notice about a thread, without what is different for each reader.
type wanted struct {
	note   int
	notice bool
	later  bool // written by the second import
	line   string
}

// expected returns what becomes of an archive.
func (c *community) expected(p program, day int) []wanted {
	var all []wanted
	written := c.until(day)
	for _, i := range written {
		n := c.notes[i]
		if n.lost && p.orphans {
			continue
		}
		topic, prefix := p.main, ""
		root := i
		if n.root >= 0 {
			root = n.root
		}
		if replies := c.replies(root, written); len(replies) > 0 && n.room >= 0 {
			topic = fmt.Sprintf("Note %d", root)
			if p.orphans && c.notes[root].lost {
				topic = fmt.Sprintf("Note %d", replies[0])
				if i == replies[0] {
					prefix = "(start of the thread is not in the archive)\n\n"
				}
			} else if p.threads && i == root {
				count := "1 reply"
				if len(replies) > 1 {
					count = fmt.Sprintf("%d replies", len(replies))
				}
				in := c.rooms[n.room].name
				all = append(all, wanted{note: i, notice: true, line: fmt.Sprintf(
					"%d | %s>%s | Notification Bot | @_**%s|ID** started #**%s>%s** (%s).",
					n.at/1_000_000, in, p.main, c.nameOf(p, n.by), in, topic, count,
				)})
			}
		}
		text := prefix + c.text(i, day, func(x piece) string {
			if x.kind == "mention" {
				return fmt.Sprintf("@**%s|ID**", c.people[x.n].name)
			}
			return ""
		})
		if n.file {
			text += fmt.Sprintf("\n\n[%s](/user_uploads/%s)", fileName(i), fileName(i))
		}
		line := fmt.Sprintf("%d | %s | %s | %s", n.at/1_000_000, c.place(n, topic), c.nameOf(p, n.by), text)
		if at := c.editedAt(n, day); at > 0 {
			line += fmt.Sprintf(" | edited %d", at/1_000_000)
		}
		var reactions []string
		for u, name := range n.reacted {
			reactions = append(reactions, name+" by "+c.people[u].name)
		}
		slices.Sort(reactions)
		all = append(all, wanted{note: i, line: line + " | " + strings.Join(reactions, ", ")})
	}
	return all
}

// editedAt returns when a note was edited, or 0.
func (c *community) editedAt(n note, day int) int64 {
	switch {
	case n.changed && day > 0:
		return secondDay
	case n.edited:
		return n.at + 5_000_000
	}
	return 0
}

func (c *community) nameOf(p program, by int) string {
	if by == gone {
		return p.gone
	}
	return c.people[by].name
}

// place returns the channel and topic, or the people of a direct conversation.
func (c *community) place(n note, topic string) string {
	if n.room >= 0 {
		return c.rooms[n.room].name + ">" + topic
	}
	var names []string
	for _, u := range n.with {
		names = append(names, c.people[u].name)
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}

// grown returns what becomes of the first archive and then of the second: what was imported stays as it was.
func grown(first, second []wanted) []wanted {
	type key struct {
		note   int
		notice bool
	}
	all := map[key]wanted{}
	for _, w := range second {
		w.later = true
		all[key{w.note, w.notice}] = w
	}
	for _, w := range first {
		all[key{w.note, w.notice}] = w
	}
	return slices.Collect(maps.Values(all))
}

// reads reports whether a resident receives a note.
func (c *community) reads(u, i int) bool {
	if n := c.notes[i]; n.room >= 0 {
		return slices.Contains(c.rooms[n.room].members, u)
	}
	return slices.Contains(c.notes[i].with, u)
}

// unread reports whether a resident has not read a note.
func (c *community) unread(u, i int) bool {
	n := c.notes[i]
	at, ok := c.viewed[[2]int{n.room, u}]
	return ok && n.by != u && at < n.at
}

// seenBy returns the lines that a resident must read, sorted. Who comes on the second day receives nothing of the
// first one.
func (c *community) seenBy(u int, p program, all []wanted) []string {
	var out []string
	for _, w := range all {
		if !c.reads(u, w.note) || c.people[u].day > 0 && !w.later {
			continue
		}
		if w.notice {
			out = append(out, w.line)
			continue
		}
		var flags []string
		if slices.Contains(c.notes[w.note].pieces, piece{"mention", u}) {
			flags = append(flags, "mentioned")
		}
		if !p.flags || !c.unread(u, w.note) {
			flags = append(flags, "read")
		}
		if p.flags && slices.Contains(c.notes[w.note].starred, u) {
			flags = append(flags, "starred")
		}
		out = append(out, w.line+" | "+strings.Join(flags, " "))
	}
	slices.Sort(out)
	return out
}

var noted = regexp.MustCompile(`Note (\d+)`)
