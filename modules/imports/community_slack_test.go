package imports_test

import (
	"fmt"
	"slices"

	"github.com/stoachat/stoa/domain/user"
)

type object = map[string]any

var ofSlack = program{
	name: "slack", main: "imported from Slack", gone: "Unknown U77", threads: true, orphans: true, archive: slackArchive,
}

func slackID(u int) string {
	if u == gone {
		return "U77"
	}
	return fmt.Sprintf("U1%02d", u)
}

func slackIDs(all []int) []string {
	var out []string
	for _, u := range all {
		out = append(out, slackID(u))
	}
	return out
}

func slackTime(at int64) string { return fmt.Sprintf("%d.%06d", at/1_000_000, at%1_000_000) }

// slackArchive is Slack's export of a day. A second account of the fourth person has the same address.
func slackArchive(c *community, day int) files {
	f := files{}
	var people, public, private, dms, mpims []any
	account := func(id string, p resident) {
		people = append(people, object{
			"id": id, "team_id": "T1", "name": id, "deleted": p.left, "is_owner": p.role == user.Owner,
			"is_primary_owner": p.role == user.Owner, "is_admin": p.role == user.Admin, "is_restricted": p.role == user.Guest,
			"profile": object{"real_name": p.name, "email": p.email},
		})
	}
	for u, p := range c.people {
		if p.day <= day {
			account(slackID(u), p)
		}
	}
	account("U903", c.people[3])
	written := c.until(day)
	folders := map[int]string{}
	for i, r := range c.rooms {
		if r.day > day {
			continue
		}
		one := object{
			"id": fmt.Sprintf("C%d", i), "name": r.name, "created": firstDay / 1_000_000, "is_general": i == 0,
			"members": slackIDs(c.present(r.members, day)),
		}
		if folders[i] = r.name; r.private {
			private = append(private, one)
		} else {
			public = append(public, one)
		}
	}
	direct := map[string]string{}
	for i, with := range c.conversations(written) {
		folder := fmt.Sprintf("D%s", slackID(with[0])) // the ID must be the same in later archives
		one := object{"members": slackIDs(with), "created": firstDay / 1_000_000}
		for _, u := range with[1:] {
			folder += slackID(u)
		}
		if one["id"] = folder; len(with) > 2 {
			one["id"], folder = "G"+folder, fmt.Sprintf("mpdm-%d-1", i)
			one["name"] = folder
			mpims = append(mpims, one)
		} else {
			dms = append(dms, one)
		}
		direct[fmt.Sprint(with)] = folder
	}
	f["users.json"], f["channels.json"], f["groups.json"], f["dms.json"], f["mpims.json"] = people, public, private, dms,
		mpims
	for _, i := range written {
		n := c.notes[i]
		folder := direct[fmt.Sprint(n.with)]
		if n.room >= 0 {
			folder = folders[n.room]
		}
		if n.lost {
			continue
		}
		if n.file {
			f[fmt.Sprintf("__uploads/F%d/%s", i, fileName(i))] = fileText(i)
		}
		name := fmt.Sprintf("%s/2024-05-%d.json", folder, 22+n.day)
		before, _ := f[name].([]any)
		f[name] = append([]any{c.slackMessage(i, day, written)}, before...) // in no order
	}
	return f
}

func (c *community) slackMessage(i, day int, written []int) object {
	n := c.notes[i]
	m := object{"type": "message", "user": slackID(n.by), "ts": slackTime(n.at)}
	if n.by == 3 && i%2 == 0 {
		m["user"] = "U903"
	}
	m["text"] = c.text(i, day, func(p piece) string {
		switch p.kind {
		case "bold":
			return fmt.Sprintf("*bold %d*", p.n)
		case "link":
			return fmt.Sprintf("<https://example.com/%d|page %d>", p.n, p.n)
		case "mention":
			return "<@" + slackID(p.n) + ">"
		case "room":
			return fmt.Sprintf("<#C%d|%s>", p.n, c.rooms[p.n].name)
		}
		return ""
	})
	if n.root >= 0 {
		m["thread_ts"] = slackTime(c.notes[n.root].at)
	} else if len(c.replies(i, written)) > 0 {
		m["thread_ts"] = m["ts"]
	}
	if at := c.editedAt(n, day); at > 0 {
		m["edited"] = object{"user": m["user"], "ts": slackTime(at)}
	}
	by := map[string][]string{}
	for u := range c.people {
		if name, ok := n.reacted[u]; ok {
			by[name] = append(by[name], slackID(u))
		}
	}
	var reactions []any
	for _, name := range reactionNames {
		if len(by[name]) > 0 {
			reactions = append(reactions, object{"name": name, "users": by[name], "count": len(by[name])})
		}
	}
	m["reactions"] = reactions
	if n.file {
		m["files"] = []any{object{
			"id": fmt.Sprintf("F%d", i), "name": fileName(i), "mimetype": "text/plain", "mode": "hosted", "user": m["user"],
		}}
	}
	return m
}

// present returns those of some residents who are there on a day.
func (c *community) present(all []int, day int) []int {
	return slices.DeleteFunc(slices.Clone(all), func(u int) bool { return c.people[u].day > day })
}
