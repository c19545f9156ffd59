package imports_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stoachat/stoa/domain/user"
)

// save writes the files of an archive into a folder.
func (f files) save(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range f {
		at := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, encoded(t, content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// encoded returns the content of a file.
func encoded(t testing.TB, content any) []byte {
	t.Helper()
	var out []byte
	switch content := content.(type) {
	case string:
		return []byte(content)
	case lines:
		for _, line := range content {
			out = append(append(out, encoded(t, line)...), '\n')
		}
		return out
	default:
		out, err := json.Marshal(content)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
}

// uploaded matches the address of a file in a message.
var uploaded = regexp.MustCompile(`/user_uploads/[^)]*/([^)/]+)\)`)

// seenAs returns the lines that a resident reads, in the order of the API, and the addresses of files by name.
func (s *server) seenAs(r result, subdomain string, c *community, u int) (all []string, urls map[string]string) {
	s.t.Helper()
	var found struct {
		Oldest   bool `json:"found_oldest"`
		Messages []struct {
			Content   string
			Timestamp int64
			Sender    string `json:"sender_full_name"`
			Subject   string
			Recipient json.RawMessage `json:"display_recipient"`
			Edited    *int64          `json:"last_edit_timestamp"`
			Flags     []string
			Reactions []struct {
				Name string `json:"emoji_name"`
				User int    `json:"user_id"`
			}
		}
	}
	by := s.at(r, subdomain, fmt.Sprintf("person%d", u))
	by.Do("GET /messages", "anchor", "newest", "num_before", "4999", "num_after", "0", "apply_markdown", "false").OK().
		JSON(&found)
	if !found.Oldest {
		s.t.Fatal("there are more messages")
	}
	v, err := s.Ports.Directory.Verified(s.t.Context(), r.Realm)
	if err != nil {
		s.t.Fatal(err)
	}
	urls = map[string]string{}
	for _, m := range found.Messages {
		var channel string
		var people []struct {
			Name string `json:"full_name"`
		}
		place := ""
		if json.Unmarshal(m.Recipient, &channel) == nil {
			place = channel + ">" + m.Subject
		} else if json.Unmarshal(m.Recipient, &people) == nil {
			var names []string
			for _, p := range people {
				names = append(names, p.Name)
			}
			slices.Sort(names)
			place = strings.Join(names, ", ")
		}
		for _, at := range uploaded.FindAllStringSubmatch(m.Content, -1) {
			urls[at[1]] = strings.TrimSuffix(at[0], ")")
		}
		text := uploaded.ReplaceAllString(mentionID.ReplaceAllString(m.Content, "|ID**"), "/user_uploads/$1)")
		line := fmt.Sprintf("%d | %s | %s | %s", m.Timestamp, place, m.Sender, text)
		if m.Edited != nil {
			line += fmt.Sprintf(" | edited %d", *m.Edited)
		}
		if !strings.Contains(line, "| Notification Bot |") {
			var reactions, flags []string
			for _, x := range m.Reactions {
				reactions = append(reactions, x.Name+" by "+v.User(user.ID(x.User)).FullName)
			}
			slices.Sort(reactions)
			for _, flag := range m.Flags {
				if slices.Contains([]string{"mentioned", "read", "starred"}, flag) {
					flags = append(flags, flag)
				}
			}
			slices.Sort(flags)
			line += " | " + strings.Join(reactions, ", ") + " | " + strings.Join(flags, " ")
		}
		all = append(all, line)
	}
	return all, urls
}

// matches compares what residents read in an imported organization with what an import must have made.
func (s *server) matches(t *testing.T, r result, subdomain string, c *community, p program, day int, all []wanted) {
	t.Helper()
	s.matchesDirectory(t, r, c, day)
	opened := map[string]bool{}
	for u, who := range c.people {
		if who.left || who.day > day {
			continue
		}
		got, urls := s.seenAs(r, subdomain, c, u)
		last := int64(0)
		for _, line := range got {
			if at := noted.FindStringSubmatch(line); at != nil && !strings.Contains(line, "| Notification Bot |") {
				i, err := strconv.Atoi(at[1])
				if err != nil || i >= len(c.notes) {
					t.Fatal(line)
				}
				n := c.notes[noteOf(line)]
				if n.at < last {
					t.Errorf("%s is out of order", line)
				}
				last = n.at
			}
		}
		slices.Sort(got)
		if want := c.seenBy(u, p, all); !slices.Equal(got, want) {
			t.Errorf("%s, %s reads\n%s", p.name, who.name, difference(got, want))
			return
		}
		by := s.at(r, subdomain, fmt.Sprintf("person%d", u)).Under("")
		for name, url := range urls {
			if opened[name] {
				continue
			}
			opened[name] = true
			i, err := strconv.Atoi(digits.FindString(name))
			if err != nil {
				t.Fatal(err)
			}
			if a := by.Do("GET " + url); a.Status != 200 || a.Body != fileText(i) {
				t.Errorf("%s: %d %q", name, a.Status, a.Body)
			}
		}
	}
	s.keepsSecrets(t, r, subdomain, c, day)
}

// noteOf returns the note of a line.
func noteOf(line string) int {
	parts := strings.SplitN(line, " | ", 4)
	n := -1
	if at := noted.FindStringSubmatch(parts[len(parts)-1]); at != nil {
		n, _ = strconv.Atoi(at[1])
	}
	return n
}

// difference returns the lines that only one of two sorted lists contains.
func difference(got, want []string) string {
	var out []string
	for _, line := range got {
		if !slices.Contains(want, line) {
			out = append(out, "+ "+line)
		}
	}
	for _, line := range want {
		if !slices.Contains(got, line) {
			out = append(out, "- "+line)
		}
	}
	return strings.Join(out[:min(len(out), 12)], "\n")
}

// matchesDirectory compares people, channels and subscribers.
func (s *server) matchesDirectory(t *testing.T, r result, c *community, day int) {
	t.Helper()
	v, err := s.Ports.Directory.Verified(t.Context(), r.Realm)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range c.people {
		u := v.UserByEmail(p.email)
		if p.day > day {
			continue
		}
		if u == nil || u.FullName != p.name || u.Role != p.role || u.Active == p.left {
			t.Errorf("want %+v, got %+v", p, u)
		}
	}
	for _, x := range c.rooms {
		ch := v.ChannelByName(x.name)
		if x.day > day {
			continue
		}
		if ch == nil || ch.Private != x.private {
			t.Errorf("want %+v, got %+v", x, ch)
			continue
		}
		var want, got []string
		for _, u := range c.present(x.members, day) {
			if !c.people[u].left {
				want = append(want, c.people[u].name)
			}
		}
		for _, u := range v.Subscribers(ch.ID) {
			if one := v.User(u); one.Active {
				got = append(got, one.FullName)
			}
		}
		slices.Sort(want)
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("subscribers of %s: %v, want %v", x.name, got, want)
		}
	}
}

// keepsSecrets checks that nobody can open messages of private channels and conversations of others.
func (s *server) keepsSecrets(t *testing.T, r result, subdomain string, c *community, day int) {
	t.Helper()
	outsider := slices.IndexFunc(c.people, func(p resident) bool { return p.role == user.Guest })
	by := s.at(r, subdomain, fmt.Sprintf("person%d", outsider))
	for _, x := range c.rooms {
		if x.day > day || slices.Contains(x.members, outsider) {
			continue
		}
		a := by.Do("GET /messages", "anchor", "newest", "num_before", "99", "num_after", "0", "narrow",
			fmt.Sprintf(`[["channel",%q]]`, x.name))
		if strings.Contains(a.Body, "Note ") {
			t.Errorf("a guest reads %s: %s", x.name, a.Body)
		}
	}
	for u, p := range c.people {
		if p.left || p.day > day || u == outsider {
			continue
		}
		var found struct {
			Messages []struct {
				ID        int64
				Content   string
				Recipient string `json:"type"`
			}
		}
		s.at(r, subdomain, fmt.Sprintf("person%d", u)).Do("GET /messages", "anchor", "newest", "num_before", "99",
			"num_after", "0", "narrow", `[["is","dm"]]`, "apply_markdown", "false").OK().JSON(&found)
		for _, m := range found.Messages {
			if i := noted.FindStringSubmatch(m.Content); i != nil {
				n, _ := strconv.Atoi(i[1])
				if a := by.Do(fmt.Sprintf("GET /messages/%d", m.ID)); (a.Status == 200) != c.reads(outsider, n) {
					t.Errorf("a guest opens a conversation of others: %d %s", a.Status, a.Body)
				}
			}
		}
	}
}
