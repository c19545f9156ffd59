package tickets

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/narrow"
	"github.com/stoachat/stoa/domain/topic"
	"github.com/stoachat/stoa/modules/kit"
)

var mention = regexp.MustCompile(`\bT#([1-9][0-9]*)\b`)

// revise answers message.Revising: T#12 becomes a link to the ticket's topic, and closed tickets take no more messages.
// A text with links stays the same when it is revised again.
func (s *service) revise(ctx context.Context, q message.Revising) (string, error) {
	v, err := s.Directory.View(ctx, q.By.Realm)
	if err != nil {
		return "", err
	}
	c := v.Channel(q.Channel)
	closed := !q.Past && c != nil && c.Name == s.cfg.Channel && topic.Resolved(q.Topic)
	if closed && q.Message == 0 && strings.HasPrefix(strings.TrimPrefix(q.Topic, topic.ResolvedPrefix), "ticket ") {
		return "", errs.Bad("This ticket is closed.")
	}
	return mention.ReplaceAllString(q.Content, fmt.Sprintf("#**%s>ticket $1**", s.cfg.Channel)), nil
}

// reported selects the messages of a search for ticket:any, or for ticket:mine those that the reader has reported.
func (s *service) reported(_ context.Context, a kit.Actor, operand string) (kit.Selection, error) {
	all := kit.Selection{SQL: "SELECT message_id FROM tickets WHERE realm_id = ?", Args: []any{a.Realm}}
	switch operand {
	case "any":
		return all, nil
	case "mine":
		return kit.Selection{SQL: all.SQL + " AND reporter = ?", Args: append(all.Args, a.User)}, nil
	}
	return kit.Selection{}, narrow.Bad("unknown ticket " + operand)
}
