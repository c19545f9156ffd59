package imports_test

import (
	"fmt"
	"slices"

	"github.com/stoachat/stoa/domain/user"
)

var ofMattermost = program{
	name: "mattermost", main: "imported from Mattermost", gone: "gone (imported)", threads: true, flags: true,
	archive: mattermostArchive,
}

func username(u int) string {
	if u == gone {
		return "gone"
	}
	return fmt.Sprintf("person.%d", u)
}

func usernames(all []int) []string {
	var out []string
	for _, u := range all {
		out = append(out, username(u))
	}
	return out
}

// mattermostArchive is Mattermost's export of a day.
func mattermostArchive(c *community, day int) files {
	f := files{}
	var out lines
	add := func(kind string, value any) { out = append(out, object{"type": kind, kind: value}) }
	add("version", 1)
	add("team", object{"name": "acme", "display_name": "Acme", "type": "O"})
	for _, r := range c.rooms {
		if r.day > day {
			continue
		}
		kind := "O"
		if r.private {
			kind = "P"
		}
		add("channel", object{"team": "acme", "name": r.name, "display_name": r.name, "type": kind})
	}
	for u, p := range c.people {
		if p.day > day {
			continue
		}
		in := []object{}
		for i, r := range c.rooms {
			if r.day <= day && slices.Contains(r.members, u) {
				in = append(in, object{"name": r.name, "last_viewed_at": c.viewed[[2]int{i, u}] / 1000})
			}
		}
		roles, teamRoles := "system_user", "team_user"
		switch p.role {
		case user.Owner:
			roles += " system_admin"
		case user.Admin:
			teamRoles += " team_admin"
		case user.Guest:
			roles, teamRoles = "system_guest", "team_guest"
		}
		one := object{
			"username": username(u), "email": p.email, "nickname": p.name, "roles": roles,
			"teams": []object{{"name": "acme", "roles": teamRoles, "channels": in}},
		}
		if p.left {
			one["delete_at"] = firstDay / 1000
		}
		add("user", one)
	}
	written := c.until(day)
	for _, with := range c.conversations(written) {
		add("direct_channel", object{"members": usernames(with)})
	}
	for _, i := range written {
		if n := c.notes[i]; n.root < 0 {
			kind := "direct_post"
			if n.room >= 0 {
				kind = "post"
			}
			add(kind, c.post(i, day, written))
		}
		if c.notes[i].file {
			f["data/2024/"+fileName(i)] = fileText(i)
		}
	}
	f["import.jsonl"] = out
	return f
}

// post returns a post with its replies.
func (c *community) post(i, day int, written []int) object {
	n := c.notes[i]
	m := object{"user": username(n.by), "create_at": n.at / 1000, "edit_at": c.editedAt(n, day) / 1000, "props": nil,
		"flagged_by": usernames(n.starred)}
	m["message"] = c.text(i, day, func(p piece) string {
		switch p.kind {
		case "mention":
			return "@" + username(p.n)
		case "room":
			return "~" + c.rooms[p.n].name
		}
		return ""
	})
	if n.room >= 0 {
		m["team"], m["channel"] = "acme", c.rooms[n.room].name
	} else {
		m["channel_members"] = usernames(n.with)
	}
	reactions := []any{}
	for u := range c.people {
		if name, ok := n.reacted[u]; ok {
			reactions = append(reactions, object{"user": username(u), "emoji_name": name, "create_at": n.at/1000 + 1})
		}
	}
	m["reactions"] = reactions
	if n.file {
		m["attachments"] = []any{object{"path": "2024/" + fileName(i)}}
	}
	replies := []any{}
	for _, r := range c.replies(i, written) {
		replies = append(replies, c.post(r, day, written))
	}
	m["replies"] = replies
	return m
}
