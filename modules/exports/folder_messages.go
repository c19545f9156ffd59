package exports

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/upload"
	"github.com/stoachat/stoa/domain/user"
)

// readable holds the keys of a line of messages that people read.
type readable struct {
	ID        message.ID         `json:"id"`
	Channel   channel.ID         `json:"channel_id"`
	People    user.Set           `json:"user_ids"`
	Topic     string             `json:"topic"`
	Sender    user.ID            `json:"sender_id"`
	SentAt    time.Time          `json:"sent_at"`
	Content   string             `json:"content"`
	EditedAt  time.Time          `json:"edited_at"`
	Reactions []message.Reaction `json:"reactions"`
}

// messages writes a page of messages into the folders of their conversations.
func (f *folder) messages(_ string, lines [][]byte) error {
	files := map[string]*bytes.Buffer{}
	var order []string
	to := func(name string) *bytes.Buffer {
		if files[name] == nil {
			files[name] = &bytes.Buffer{}
			order = append(order, name)
		}
		return files[name]
	}
	for _, line := range lines {
		var m readable
		if err := json.Unmarshal(line, &m); err != nil {
			return err
		}
		dir, err := f.conversation(&m)
		if err != nil {
			return err
		}
		b := to(dir + "/messages.jsonl")
		b.Write(line)
		b.WriteByte('\n')
		name := dir + "/" + m.SentAt.UTC().Format("2006-01") + ".md"
		if err := f.text(to(name), dir, name, &m); err != nil {
			return err
		}
	}
	for _, name := range order {
		if err := f.append(name, files[name].Bytes()); err != nil {
			return err
		}
	}
	return nil
}

// conversation returns the folder of the conversation of a message.
func (f *folder) conversation(m *readable) (string, error) {
	if m.Channel == 0 {
		dir := f.directName(m.People)
		if f.direct[dir] {
			return dir, nil
		}
		f.direct[dir] = true
		return dir, f.append(dir+"/README.md", []byte("# Direct messages\n\n"+f.list(m.People)))
	}
	if dir, ok := f.rooms[m.Channel]; ok {
		return dir, nil
	}
	c := f.view.Channel(m.Channel)
	if c == nil { // created since the beginning
		c = &channel.Channel{ID: m.Channel}
	}
	err := f.room(c)
	return f.rooms[m.Channel], err
}

// room creates the folder of a channel.
func (f *folder) room(c *channel.Channel) error {
	dir := "channels/" + safeName(strconv.FormatInt(int64(c.ID), 10), c.Name)
	f.rooms[c.ID] = dir
	var b bytes.Buffer
	fmt.Fprintf(&b, "# %s\n\n", plain(c.Name))
	switch {
	case c.Private:
		b.WriteString("A private channel.")
	case c.WebPublic:
		b.WriteString("A channel that everybody on the web can read.")
	default:
		b.WriteString("A public channel.")
	}
	if c.Archived {
		b.WriteString(" It is archived.")
	}
	fmt.Fprintf(&b, "\n\n%s\n\n## Subscribers\n\n%s", c.Description, f.list(f.view.Subscribers(c.ID)))
	return f.append(dir+"/README.md", b.Bytes())
}

// list returns a list of people.
func (f *folder) list(people user.Set) string {
	var b strings.Builder
	for _, u := range people {
		fmt.Fprintf(&b, "- %s\n", f.name(u))
	}
	return b.String()
}

// name returns the name of a user as Markdown.
func (f *folder) name(u user.ID) string {
	if who := f.view.User(u); who != nil {
		return plain(who.FullName)
	}
	return fmt.Sprintf("user %d", u)
}

// directName returns the folder of a direct conversation. The names in it are cut, but not the IDs, or a hash of them.
func (f *folder) directName(people user.Set) string {
	var ids, names []string
	for _, u := range people {
		ids = append(ids, strconv.FormatInt(int64(u), 10))
		if who := f.view.User(u); who != nil {
			names = append(names, who.FullName)
		}
	}
	id := strings.Join(ids, "-")
	if len(id) > 40 {
		sum := sha256.Sum256([]byte(id))
		id = hex.EncodeToString(sum[:12])
	}
	return "direct/" + safeName(id, strings.Join(names, " "))
}

// maxName is the maximum number of code points of a name in the name of a file or folder.
const maxName = 40

// safeName returns a name for a file or folder on any system, which begins with a unique ID. What people chose cannot
// lead elsewhere, nor collide if letters differ in their case.
func safeName(id, name string) string {
	if name = upload.PathName(upload.DisplayName(name)); len(name) > maxName {
		ext := path.Ext(name)
		if len(ext) > maxName/4 {
			ext = ""
		}
		runes := []rune(strings.TrimSuffix(name, ext))
		name = string(runes[:min(len(runes), maxName)]) + ext
	}
	return id + "-" + strings.TrimRight(name, ".")
}

// text writes a message as Markdown.
func (f *folder) text(b *bytes.Buffer, dir, file string, m *readable) error {
	if m.Channel != 0 && (file != f.topic.file || m.Topic != f.topic.name) {
		fmt.Fprintf(b, "# %s\n\n", plain(cmp.Or(m.Topic, "general chat")))
	}
	f.topic.file, f.topic.name = file, m.Topic
	content, err := f.linked(dir, m.Content)
	if err != nil {
		return err
	}
	fmt.Fprintf(b, "**%s**, %s", f.name(m.Sender), m.SentAt.UTC().Format("2006-01-02 15:04:05"))
	if !m.EditedAt.IsZero() {
		b.WriteString(", edited")
	}
	fmt.Fprintf(b, "\n\n%s\n\n", content)
	var names []string
	by := map[string][]string{}
	for _, r := range m.Reactions {
		if by[r.Name] == nil {
			names = append(names, r.Name)
		}
		by[r.Name] = append(by[r.Name], f.name(r.User))
	}
	for i, name := range names {
		names[i] = fmt.Sprintf(":%s: %s", name, strings.Join(by[name], ", "))
	}
	if len(names) > 0 {
		fmt.Fprintf(b, "*%s*\n\n", strings.Join(names, "; "))
	}
	return nil
}

// fileLink matches the address of an uploaded file, whose first group is its place.
var fileLink = regexp.MustCompile(
	`(?:https?://[\w.:\[\]-]+)?/user_uploads/(\d+/[0-9a-f]{1,2}/[\w-]{24})/([^\s()<>"']+)`,
)

// linked returns a text whose links to files lead to files beside it.
func (f *folder) linked(dir, text string) (string, error) {
	var failed error
	return fileLink.ReplaceAllStringFunc(text, func(link string) string {
		found := fileLink.FindStringSubmatch(link)
		name := found[2]
		if decoded, err := url.PathUnescape(name); err == nil {
			name = decoded
		}
		beside := "files/" + safeName(path.Base(found[1]), name)
		switch err := f.beside("files/uploads/"+found[1], dir+"/"+beside); {
		case err == nil:
			return beside
		case !errors.Is(err, fs.ErrNotExist): // a file that is not in this export
			failed = errors.Join(failed, err)
		}
		return link
	}), failed
}

// beside gives a file another name, or copies it where that is impossible.
func (f *folder) beside(file, name string) error {
	if _, err := f.root.Stat(name); err == nil {
		return nil
	}
	if _, err := f.root.Stat(file); err != nil {
		return err
	}
	if err := f.root.MkdirAll(path.Dir(name), 0o700); err != nil {
		return err
	}
	if f.root.Link(file, name) == nil {
		return nil
	}
	from, err := f.root.Open(file)
	if err != nil {
		return err
	}
	return errors.Join(f.create(name, from), from.Close())
}

// special matches what has a meaning in Markdown.
var special = regexp.MustCompile("[\\\\`*_{}\\[\\]<>#|]")

// plain returns a text of one line as Markdown.
func plain(text string) string {
	return special.ReplaceAllString(strings.Join(strings.Fields(text), " "), `\$0`)
}

// contents returns the file README.md.
func (f *folder) contents() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# %s\n\n%s\n%s, %s.\n", plain(f.about.Name), layout, f.about.Time.Format("2006-01-02 15:04:05 UTC"),
		f.about.Type)
	for _, one := range []struct {
		title string
		dirs  []string
	}{{"Channels", slices.Sorted(maps.Values(f.rooms))}, {"Direct messages", slices.Sorted(maps.Keys(f.direct))}} {
		if len(one.dirs) > 0 {
			fmt.Fprintf(&b, "\n## %s\n\n", one.title)
		}
		for _, dir := range one.dirs {
			fmt.Fprintf(&b, "- [%s](<%s/README.md>)\n", plain(path.Base(dir)), dir)
		}
	}
	return b.Bytes()
}
