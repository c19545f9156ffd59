// Package excerpt holds the rules for showing messages outside of clients, in emails and notifications.
package excerpt

import (
	"html"
	"strings"
	"sync"
	"time"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/language"
	"github.com/stoachat/stoa/domain/markdown"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/domain/widget"
)

// Language returns the language of emails and notifications for a user.
func Language(v *directory.View, u *user.User) *language.Language {
	return language.Choose(u.Settings.DefaultLanguage, v.Realm().Settings.DefaultLanguage)
}

// Zone returns a user's time zone, or UTC if it is unknown.
func Zone(u *user.User) *time.Location {
	zone, err := time.LoadLocation(u.Settings.Timezone)
	if err != nil {
		return time.UTC
	}
	return zone
}

// Reader returns a user as the reader of rendered content. The caller sets the other fields.
func Reader(v *directory.View, u *user.User) markdown.Reader {
	words, zone := Language(v, u), sync.OnceValue(func() *time.Location { return Zone(u) })
	return markdown.Reader{Date: func(t time.Time) string { return words.Date(t.In(zone())) }}
}

// Varies reports whether what a message shows depends on its reader, beyond limits and addresses.
func Varies(m *message.Visible) bool {
	return m.Facts&(message.HasWidget|message.IsMe) != 0 || strings.Contains(m.Rendered, "<time ")
}

// HTML returns the rendered content of a message for u. A poll or a to-do list is shown as a list with its title, and
// /me as the sender's name.
func HTML(v *directory.View, u *user.User, m *message.Visible) string {
	const me = "<p>/me "
	if m.Facts&message.HasWidget != 0 {
		if l, ok := widget.ListFromCommand(m.Content); ok {
			return list(Language(v, u), l)
		}
	}
	if m.Facts&message.IsMe != 0 && strings.HasPrefix(m.Rendered, me) {
		return "<p>" + html.EscapeString(permission.UserOrStranger(v, u, m.Sender).FullName) + " " + m.Rendered[len(me):]
	}
	return m.Rendered
}

func list(words *language.Language, l widget.List) string {
	title := words.T("Poll: %s", l.Title)
	if l.Kind == widget.Todo {
		title = words.T("To-do list: %s", l.Title)
	}
	if l.Title == "" {
		title = strings.TrimRight(title, ":\uff1a \u00a0\u202f")
	}
	var b strings.Builder
	b.WriteString("<p>" + html.EscapeString(title) + "</p>\n")
	if len(l.Entries) > 0 {
		b.WriteString("<ul>\n")
		for _, e := range l.Entries {
			b.WriteString("<li>" + html.EscapeString(e) + "</li>\n")
		}
		b.WriteString("</ul>")
	}
	return b.String()
}
