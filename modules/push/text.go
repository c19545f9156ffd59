package push

import (
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/excerpt"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/push"
	"github.com/stoachat/stoa/domain/user"
)

// readerTexts makes the texts of notifications, once for all readers to whom a message looks the same.
type readerTexts struct {
	*service
	view  *directory.View
	known map[textKey]string
}

// textKey names the text of a message. The other fields are empty if all readers see the same.
type textKey struct {
	message        message.ID
	language, zone string
	sender         string // the reader's name of the sender
}

func newTexts(s *service, v *directory.View) readerTexts {
	return readerTexts{service: s, view: v, known: map[textKey]string{}}
}

// of returns the text of a message for a reader.
func (t readerTexts) of(m *message.Unread, reader user.ID) string {
	k, u := textKey{message: m.ID}, t.view.User(reader)
	if u == nil {
		return ""
	}
	if excerpt.Varies(&m.Visible) {
		k.language, k.zone = excerpt.Language(t.view, u).Code, u.Settings.Timezone
		k.sender = permission.UserOrStranger(t.view, u, m.Sender).FullName
	}
	text, ok := t.known[k]
	if !ok {
		r := excerpt.Reader(t.view, u)
		r.Limit, r.Brief = push.MaxContent, true
		text = t.Renderer.Text(excerpt.HTML(t.view, u, &m.Visible), r)
		t.known[k] = text
	}
	return text
}
