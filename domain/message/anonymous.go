package message

import (
	"html"
	"regexp"
	"slices"
	"strconv"

	"github.com/stoachat/stoa/domain/user"
)

// Anonymizer replaces the names of a user in mentions by user.DeletedName.
type Anonymizer struct {
	id   string
	html *regexp.Regexp
}

// NewAnonymizer returns an Anonymizer for a user.
func NewAnonymizer(u user.ID) *Anonymizer {
	id := strconv.FormatInt(int64(u), 10)
	const before, after = `(<span class="user-mention(?: silent)?" data-user-id="`, `">@?)([^<]*)(</span>)`
	return &Anonymizer{id, regexp.MustCompile(before + id + after)}
}

// Mark returns a text that all HTML with a mention of the user contains.
func (a *Anonymizer) Mark() string { return `data-user-id="` + a.id + `"` }

// mention matches a mention of a user in Markdown. With the name alone, it may also be that of another user.
var mention = regexp.MustCompile(`@(_?)\*\*([^*|]+)(?:\|(\d+))?\*\*`)

// Text replaces the names in the text of a message and its HTML. Mentions in the text are recognized by the user's ID,
// or by a name that mentions in the HTML have.
func (a *Anonymizer) Text(content, rendered string) (newContent, newRendered string) {
	var names []string
	for _, m := range a.html.FindAllStringSubmatch(rendered, -1) {
		names = append(names, html.UnescapeString(m[2]))
	}
	if names == nil {
		return content, rendered
	}
	content = mention.ReplaceAllStringFunc(content, func(text string) string {
		m := mention.FindStringSubmatch(text)
		if m[3] == a.id || m[3] == "" && slices.Contains(names, m[2]) {
			return "@" + m[1] + "**" + user.DeletedName + "|" + a.id + "**"
		}
		return text
	})
	return content, a.html.ReplaceAllString(rendered, "${1}"+user.DeletedName+"${3}")
}

// Message replaces the names in a message and its loaded edits, and reports whether there were any.
func (a *Anonymizer) Message(m *Message) bool {
	content, rendered := a.Text(m.Content, m.Rendered)
	changed := rendered != m.Rendered || content != m.Content
	m.Content, m.Rendered = content, rendered
	for i := range m.Edits {
		if a.Edit(&m.Edits[i]) {
			changed = true
		}
	}
	return changed
}

// Edit is like Message for the former text of an edit.
func (a *Anonymizer) Edit(e *Edit) bool {
	if e.PrevContent == nil || e.PrevRendered == nil {
		return false
	}
	content, rendered := a.Text(*e.PrevContent, *e.PrevRendered)
	changed := rendered != *e.PrevRendered || content != *e.PrevContent
	e.PrevContent, e.PrevRendered = &content, &rendered
	return changed
}
