package imports_test

import (
	"archive/tar"
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// What is not compared: pictures have other addresses, and some tables have no place yet.
var left = []string{"images", "bots", "presences", "realms"}

var (
	pictured  = regexp.MustCompile(`src="/user_avatars/[^"]*"`)
	storedAt  = regexp.MustCompile(`/user_uploads/\d+/\w+/[^/]+/`)
	mentionID = regexp.MustCompile(`\|\d+\*\*`)

	digits = regexp.MustCompile(`\d+`)
)

// contentOf returns the lines of each table of an archive, with names instead of IDs, sorted.
func contentOf(t *testing.T, archive []byte) map[string][]string {
	t.Helper()
	lines := unpack(t, archive)
	names := map[string]map[float64]string{"user": {}, "channel": {}, "group": {}, "message": {}}
	for _, u := range lines["users"] {
		email, _, _ := strings.Cut(u["delivery_email"].(string), "@")
		names["user"][u["id"].(float64)] = email
	}
	for _, c := range lines["channels"] {
		names["channel"][c["id"].(float64)] = c["name"].(string)
	}
	for _, g := range lines["user_groups"] {
		names["group"][g["id"].(float64)] = g["name"].(string)
	}
	all := slices.Clone(lines["messages"])
	slices.SortFunc(all, func(a, b map[string]any) int { return cmp.Compare(a["id"].(float64), b["id"].(float64)) })
	for i, m := range all {
		names["message"][m["id"].(float64)] = fmt.Sprintf("message %d", i)
	}
	out := map[string][]string{}
	for table, some := range lines {
		if slices.Contains(left, table) {
			continue
		}
		kind := map[string]string{
			"users": "user", "channels": "channel", "user_groups": "group", "messages": "message",
		}[table]
		for _, line := range some {
			if line["system"] == true { // they belong to the server
				continue
			}
			named := named(line, names, kind).(map[string]any)
			for _, key := range []string{"file", "path_id", "avatar_version"} {
				delete(named, key)
			}
			for _, key := range []string{"avatar", "source", "still"} {
				if address, ok := named[key].(string); ok {
					named[key] = address != ""
				}
			}
			if kind == "" {
				delete(named, "id")
			}
			text, err := json.Marshal(named)
			if err != nil {
				t.Fatal(err)
			}
			out[table] = append(out[table], string(text))
		}
		slices.Sort(out[table])
	}
	return out
}

// named replaces IDs in a value by names.
func named(v any, names map[string]map[float64]string, own string) any {
	kinds := map[string]string{
		"id": own, "user_id": "user", "sender_id": "user", "creator_id": "user", "owner_id": "user", "bot_owner": "user",
		"user_ids": "user", "author_id": "user", "channel_id": "channel", "group_id": "group", "subgroup_id": "group",
		"message_id":  "message",
		"message_ids": "message", "unread": "message", "first_message": "message",
		"direct_members": "user", "direct_subgroups": "group",
	}
	all, ok := v.(map[string]any)
	if !ok {
		return v
	}
	if all["reaction_type"] == "realm_emoji" {
		delete(all, "emoji_code") // the emoji's ID
	}
	out := map[string]any{}
	for k, x := range all {
		switch kind := kinds[k]; x := x.(type) {
		case float64:
			if name, ok := names[kind][x]; ok {
				out[k] = name
				continue
			}
			out[k] = x
		case []any:
			list := []any{}
			for _, one := range x {
				if id, ok := one.(float64); ok && names[kind][id] != "" {
					list = append(list, names[kind][id])
					continue
				}
				list = append(list, named(one, names, ""))
			}
			out[k] = list
		case string:
			if slices.Contains([]string{"content", "rendered", "prev_content", "prev_rendered"}, k) {
				x = pictured.ReplaceAllString(x, `src=""`)
				x = digits.ReplaceAllString(storedAt.ReplaceAllString(x, "/user_uploads/"), "0")
			}
			out[k] = x
		default:
			out[k] = named(x, names, "")
		}
	}
	return out
}

// unpack returns the lines of an archive, by table.
func unpack(t *testing.T, archive []byte) map[string][]map[string]any {
	t.Helper()
	out := map[string][]map[string]any{}
	for name, text := range unpackFiles(t, archive) {
		table, _, _ := strings.Cut(name, "/")
		for line := range strings.Lines(text) {
			var v map[string]any
			if strings.HasSuffix(name, ".jsonl") && json.Unmarshal([]byte(line), &v) == nil {
				out[table] = append(out[table], v)
			}
		}
	}
	return out
}

// unpackFiles returns the files of an archive by name.
func unpackFiles(t *testing.T, archive []byte) map[string]string {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(archive))
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		out[h.Name] = string(body)
	}
}
