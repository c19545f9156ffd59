package imports_test

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/stoachat/stoa/domain/user"
)

const zulipMain = "imported from Zulip"

var ofZulip = program{name: "zulip", main: zulipMain, gone: "Unknown 977", flags: true, archive: zulipArchive}

// The IDs in Zulip: residents from 101, rooms from 201, notes from 1. Recipients are 1000 more; those of groups begin
// at 5000.
func zulipID(u int) int {
	if u == gone {
		return 977
	}
	return 101 + u
}

// zulipArchive is Zulip's export of a day.
func zulipArchive(c *community, day int) files {
	f := files{}
	var people, streams, recipients, subscriptions, huddles, reactions, attachments []any
	subscribe := func(u, recipient int) {
		subscriptions = append(subscriptions, object{"user_profile": zulipID(u), "recipient": recipient, "active": true})
	}
	roles := map[user.Role]int{user.Owner: 100, user.Admin: 200, user.Member: 400, user.Guest: 600}
	for u, p := range c.people {
		if p.day > day {
			continue
		}
		people = append(people, object{
			"id": zulipID(u), "delivery_email": p.email, "full_name": p.name, "role": roles[p.role], "is_active": !p.left,
			"date_joined": firstDay / 1_000_000, "is_bot": false, "bot_type": nil, "bot_owner": nil,
		})
		recipients = append(recipients, object{"id": 1000 + zulipID(u), "type": 1, "type_id": zulipID(u)})
		subscribe(u, 1000+zulipID(u))
	}
	for i, r := range c.rooms {
		if r.day > day {
			continue
		}
		streams = append(streams, object{
			"id": 201 + i, "name": r.name, "date_created": firstDay / 1_000_000, "invite_only": r.private,
			"history_public_to_subscribers": true, "deactivated": false,
		})
		recipients = append(recipients, object{"id": 1201 + i, "type": 2, "type_id": 201 + i})
		for _, u := range c.present(r.members, day) {
			subscribe(u, 1201+i)
		}
	}
	written := c.until(day)
	groups := map[string]int{}
	for _, with := range c.conversations(written) {
		if len(with) < 3 {
			continue
		}
		id := 5000 + len(groups)
		groups[fmt.Sprint(with)] = id
		huddles = append(huddles, object{"id": id, "huddle_hash": fmt.Sprint(with), "group_size": len(with)})
		recipients = append(recipients, object{"id": id, "type": 3, "type_id": id})
		for _, u := range with {
			subscribe(u, id)
		}
	}
	for from := 0; from < len(written); from += 100 {
		var messages, flags []any
		for _, i := range written[from:min(len(written), from+100)] {
			n := c.notes[i]
			recipient := 1201 + n.room
			switch {
			case len(n.with) == 1:
				recipient = 1000 + zulipID(n.by)
			case len(n.with) == 2:
				recipient = 1000 + zulipID(n.with[0]+n.with[1]-n.by)
			case len(n.with) == 3:
				recipient = groups[fmt.Sprint(n.with)]
			}
			messages = append(messages, c.zulipMessage(i, day, recipient, written))
			flags = append(flags, c.zulipFlags(i, day)...)
			for u := range c.people {
				if name, ok := n.reacted[u]; ok {
					reactions = append(reactions, object{
						"user_profile": zulipID(u), "message": i + 1, "emoji_name": name, "reaction_type": "unicode_emoji",
						"emoji_code": map[string]string{"tada": "1f389", "heart": "2764", "rocket": "1f680"}[name],
					})
				}
			}
			if n.file {
				path := fmt.Sprintf("1/ab/%d/%s", i, fileName(i))
				f["uploads/"+path] = fileText(i)
				attachments = append(attachments, object{
					"id": i + 1, "owner": zulipID(max(n.by, 0)), "path_id": path, "file_name": fileName(i),
					"create_time": n.at / 1_000_000, "messages": []int{i + 1},
				})
			}
		}
		f[fmt.Sprintf("messages-%06d.json", from/100+1)] = object{"zerver_message": messages, "zerver_usermessage": flags}
	}
	f["realm.json"] = object{
		"import_source": "zulip", "zerver_realm": []any{object{"id": 1, "string_id": "acme", "name": "Acme"}},
		"zerver_userprofile": people, "zerver_stream": streams, "zerver_recipient": recipients,
		"zerver_subscription": subscriptions, "zerver_huddle": huddles, "zerver_reaction": reactions,
		"zerver_client":                 []any{object{"id": 1, "name": "website"}},
		"zerver_userprofile_crossrealm": []any{object{"id": 5, "email": "notification-bot@zulip.com", "recipient_id": 9}},
	}
	f["attachment.json"] = object{"zerver_attachment": attachments}
	return f
}

func (c *community) zulipMessage(i, day, recipient int, written []int) object {
	n := c.notes[i]
	root, topic := i, ""
	if n.root >= 0 {
		root = n.root
	}
	if n.room >= 0 {
		topic = zulipMain
		if len(c.replies(root, written)) > 0 {
			topic = fmt.Sprintf("Note %d", root)
		}
	}
	text := c.text(i, day, func(p piece) string {
		if p.kind == "mention" {
			return fmt.Sprintf("@**%s|%d**", c.people[p.n].name, zulipID(p.n))
		}
		return ""
	})
	if n.file {
		text += fmt.Sprintf("\n\n[%s](/user_uploads/1/ab/%d/%s)", fileName(i), i, fileName(i))
	}
	m := object{
		"id": i + 1, "sender": zulipID(n.by), "recipient": recipient, "subject": topic, "content": text,
		"date_sent": json.Number(slackTime(n.at)), "sending_client": 1, "last_edit_time": nil, "edit_history": nil,
		"rendered_content": "<p>never trusted</p>",
	}
	if at := c.editedAt(n, day); at > 0 {
		m["last_edit_time"] = json.Number(slackTime(at))
		history, err := json.Marshal([]any{
			object{"timestamp": at / 1_000_000, "user_id": zulipID(n.by), "prev_content": "x"},
		})
		if err != nil {
			panic(err)
		}
		m["edit_history"] = string(history)
	}
	return m
}

// zulipFlags returns the rows of those who receive a note.
func (c *community) zulipFlags(i, day int) []any {
	var all []any
	for u, p := range c.people {
		if p.day > day || !c.reads(u, i) {
			continue
		}
		mask := 0
		if !c.unread(u, i) {
			mask = 1
		}
		if slices.Contains(c.notes[i].starred, u) {
			mask |= 2
		}
		if slices.Contains(c.notes[i].pieces, piece{"mention", u}) {
			mask |= 8
		}
		all = append(all, object{"user_profile": zulipID(u), "message": i + 1, "flags_mask": mask})
	}
	return all
}
