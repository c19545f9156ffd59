package imports_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/stoachat/stoa/domain/user"
)

// community is what people have written in a program, from which archives of all programs are generated, and what an
// import of each must make of it.
type community struct {
	people []resident
	rooms  []room
	notes  []note
	// viewed is when residents have last read a room, in microseconds; what others wrote later is unread.
	viewed map[[2]int]int64
}

// resident is a person. Their index is their identity in all programs.
type resident struct {
	name, email string
	role        user.Role
	left        bool
	day         int // of the first archive that contains them
}

type room struct {
	name    string
	private bool
	members []int
	day     int
}

// gone stands for an author who is in no list.
const gone = -1

// note is a message. Its index identifies it, and stands in its first line.
type note struct {
	by      int
	room    int   // -1: direct
	with    []int // who has a direct conversation, sorted
	root    int   // the first message of the thread; -1: none
	lost    bool  // Slack's archive does not contain it
	pieces  []piece
	at      int64 // microseconds
	edited  bool
	changed bool // on the second day, after it was imported
	reacted map[int]string
	starred []int
	file    bool
	day     int
}

// piece is a part of a text.
type piece struct {
	kind string // plain, bold, code, link, emoji, mention or room
	n    int
}

const (
	firstDay  = 1_716_379_200_000_000 // microseconds
	secondDay = firstDay + 24*60*60*1_000_000
)

var reactionNames = []string{"tada", "heart", "rocket"}

// generateCommunity makes a community of two days.
func generateCommunity(seed uint64, people, rooms, notes int) *community {
	r := rand.New(rand.NewPCG(seed, 41))
	c := &community{viewed: map[[2]int]int64{}}
	for i := range people {
		p := resident{name: fmt.Sprintf("Pérson %d", i), email: fmt.Sprintf("person%d@example.com", i), role: user.Member}
		switch i {
		case 0:
			p.role = user.Owner
		case 1:
			p.role = user.Admin
		case 2:
			p.left = true
		case people - 2:
			p.role = user.Guest
		case people - 1:
			p.day = 1
		}
		c.people = append(c.people, p)
	}
	for i := range rooms {
		x := room{name: fmt.Sprintf("kanal-%d", i), private: i%3 == 1}
		for u := range people {
			if i == 0 || r.IntN(2) == 0 {
				x.members = append(x.members, u)
			}
		}
		if x.day = 0; i == rooms-1 {
			x.day = 1
		}
		c.rooms = append(c.rooms, x)
		for u := range people {
			if r.IntN(8) == 0 {
				c.viewed[[2]int{i, u}] = firstDay + r.Int64N(int64(notes)*60_000_000)
			}
		}
	}
	for i := range notes {
		c.notes = append(c.notes, c.write(r, i, notes))
	}
	return c
}

// write makes a note. The last quarter of all is written on the second day.
func (c *community) write(r *rand.Rand, i, notes int) note {
	n := note{room: r.IntN(len(c.rooms)), root: -1, at: firstDay + int64(i)*60_000_000 + int64(r.IntN(1000))*1000}
	if i >= notes*3/4 {
		n.day, n.at = 1, n.at-firstDay+secondDay
	}
	if i > 0 && r.IntN(6) == 0 && c.notes[i-1].day == n.day {
		n.at = c.notes[i-1].at // in another conversation
	}
	somebody := func() int { return r.IntN(len(c.people) - 1 + n.day) }
	n.by = somebody()
	switch room := c.rooms[n.room]; {
	case r.IntN(4) == 0 || room.day > n.day:
		n.room = -1
		for range 1 + r.IntN(3) {
			n.with = append(n.with, somebody())
		}
		n.with = append(n.with, n.by)
		slices.Sort(n.with)
		n.with = slices.Compact(n.with)
		if len(n.with) > 3 {
			n.with = []int{n.by}
		}
	case r.IntN(3) == 0:
		n.root = c.thread(r, n.room)
	}
	if n.room >= 0 && r.IntN(25) == 0 {
		n.by = gone
	}
	n.lost = n.root < 0 && n.room >= 0 && r.IntN(20) == 0
	for range 1 + r.IntN(4) {
		p := piece{kind: []string{"plain", "bold", "code", "link", "emoji", "mention", "room"}[r.IntN(7)]}
		switch p.kind {
		case "mention":
			p.n = somebody()
		case "room":
			p.n = r.IntN(len(c.rooms) - 1)
		default:
			p.n = r.IntN(100)
		}
		n.pieces = append(n.pieces, p)
	}
	n.edited, n.changed, n.file = r.IntN(9) == 0, r.IntN(9) == 0, r.IntN(9) == 0
	n.reacted = map[int]string{}
	for range max(0, r.IntN(6)-3) {
		n.reacted[somebody()] = reactionNames[r.IntN(3)]
	}
	if r.IntN(6) == 0 {
		readers := n.with
		if n.room >= 0 {
			readers = c.rooms[n.room].members
		}
		if u := readers[r.IntN(len(readers))]; c.people[u].day <= n.day {
			n.starred = []int{u}
		}
	}
	for slices.ContainsFunc(c.notes, func(o note) bool { return o.at == n.at && o.room == n.room }) {
		n.at += 1000 // Slack has no equal times in one conversation
	}
	return n
}

// thread returns the first message of a thread to which a reply can be added, or -1.
func (c *community) thread(r *rand.Rand, in int) int {
	var all []int
	for i, n := range c.notes {
		if n.room == in && n.root < 0 {
			all = append(all, i)
		}
	}
	if len(all) == 0 {
		return -1
	}
	return all[r.IntN(len(all))]
}

// until returns the notes that an archive of a day contains, in order.
func (c *community) until(day int) []int {
	var all []int
	for i, n := range c.notes {
		if n.day <= day {
			all = append(all, i)
		}
	}
	return all
}

// replies returns the replies to a note that an archive contains.
func (c *community) replies(root int, written []int) []int {
	var all []int
	for _, i := range written {
		if c.notes[i].root == root {
			all = append(all, i)
		}
	}
	return all
}

// conversations returns the direct conversations of some notes, in the order in which they begin.
func (c *community) conversations(written []int) [][]int {
	var all [][]int
	seen := map[string]bool{}
	for _, i := range written {
		if n := c.notes[i]; n.room < 0 && !seen[fmt.Sprint(n.with)] {
			seen[fmt.Sprint(n.with)] = true
			all = append(all, n.with)
		}
	}
	return all
}

// text returns what a note consists of, as a program writes it.
func (c *community) text(i, day int, show func(piece) string) string {
	words := []string{fmt.Sprintf("Note %d\nsays", i)}
	if c.notes[i].changed && day > 0 {
		words = append(words, "later")
	}
	for _, p := range c.notes[i].pieces {
		if text := show(p); text != "" {
			words = append(words, text)
			continue
		}
		switch p.kind {
		case "plain":
			words = append(words, fmt.Sprintf("wörd %d", p.n))
		case "code":
			words = append(words, fmt.Sprintf("`code %d`", p.n))
		case "emoji":
			words = append(words, ":"+reactionNames[p.n%3]+":")
		case "bold":
			words = append(words, fmt.Sprintf("**bold %d**", p.n))
		case "link":
			words = append(words, fmt.Sprintf("[page %d](https://example.com/%d)", p.n, p.n))
		case "room":
			words = append(words, "#**"+c.rooms[p.n].name+"**")
		}
	}
	return strings.Join(words, " ")
}

// fileName and fileText are the name and the content of the file of a note.
func fileName(i int) string { return fmt.Sprintf("file-%d.txt", i) }

func fileText(i int) string { return strings.Repeat(fmt.Sprintf("the content of note %d\n", i), 20) }
