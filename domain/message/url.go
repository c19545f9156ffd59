package message

import (
	"fmt"
	"strings"

	"github.com/stoachat/stoa/domain/directory"
)

// URL returns the address of a message in the web client.
func (m *Visible) URL(v *directory.View) string {
	if c := ChannelOf(v, m.Recipient); c != nil {
		return fmt.Sprintf("%s/near/%d", c.TopicURL(m.Topic), m.ID)
	}
	ids := make([]string, len(m.Members))
	for i, u := range m.Members {
		ids[i] = fmt.Sprint(u)
	}
	suffix := "dm"
	if len(ids) > 2 {
		suffix = "group"
	}
	return fmt.Sprintf("/#narrow/dm/%s-%s/near/%d", strings.Join(ids, ","), suffix, m.ID)
}
