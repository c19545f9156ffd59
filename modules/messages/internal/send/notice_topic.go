package send

import (
	"context"
	"fmt"
	"strings"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/topic"
	"github.com/stoachat/stoa/domain/user"
)

// InTopic is a notice in a topic. It is read for the user who made the change.
type InTopic struct {
	Channel *channel.Channel
	Topic   string
	Text    string
	Resolve bool // a resolve notice
}

// Notify writes notices in the transaction of the change that they are about, after its events.
func (s *Service) Notify(ctx context.Context, by user.Actor, all []InTopic) error {
	notices := make([]notice, len(all))
	for i, n := range all {
		notices[i] = notice{to: n.Channel, topic: n.Topic, text: n.Text, readFor: by.User, resolve: n.Resolve}
	}
	return s.notify(ctx, by.Realm, notices)
}

// Who returns a silent mention of a user.
func Who(v *directory.View, u user.ID) string { return who(v, u) }

// Topic returns a link to a topic, whatever its name and that of its channel contain.
func Topic(c *channel.Channel, name string) string {
	if strings.ContainsAny(c.Name+name, "`>*&[]") || strings.Contains(c.Name, "$$") || strings.Contains(name, "$$") {
		return fmt.Sprintf("[&#35;%s > %s](%s)", plain(c.Name), plain(topic.Show(name, false)), c.TopicURL(name))
	}
	return "#**" + c.Name + ">" + name + "**"
}

// Message returns a link to a message with the given text.
func Message(c *channel.Channel, name string, id message.ID, text string) string {
	return fmt.Sprintf("[%s](%s/near/%d)", text, c.TopicURL(name), id)
}
