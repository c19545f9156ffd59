// Package history returns the edit history of messages.
package history

import (
	"context"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/topic"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/messages/internal/access"
	"github.com/stoachat/stoa/modules/messages/internal/store"
	"github.com/stoachat/stoa/ports"
)

// Service reads the edit history of messages.
type Service struct {
	Edits     *store.Edits
	Access    *access.Service
	Directory ports.Directory
}

// Endpoints returns the package's endpoints.
func (s *Service) Endpoints() []kit.Endpoint {
	return []kit.Endpoint{
		kit.GET("/messages/:message_id/history", kit.Users, s.read, "Returns a message's edit history."),
	}
}

type request struct {
	ID         message.ID `json:"message_id"`
	EmptyTopic bool       `json:"allow_empty_topic_name" default:"false"`
}

type response struct {
	History []snapshot `json:"message_history"`
}

// snapshot is the state of a message after an edit. The first snapshot is the original message.
type snapshot struct {
	Topic        string     `json:"topic"`
	Content      string     `json:"content"`
	Rendered     string     `json:"rendered_content"`
	Timestamp    int64      `json:"timestamp"`
	User         user.ID    `json:"user_id" forms:"integer" doc:"The ID of the user; 0: not known, as in some imports."`
	PrevTopic    *string    `json:"prev_topic,omitempty"`
	PrevContent  *string    `json:"prev_content,omitempty"`
	PrevRendered *string    `json:"prev_rendered_content,omitempty"`
	Diff         *string    `json:"content_html_diff,omitempty"`
	PrevStream   channel.ID `json:"prev_stream,omitempty"`
	Stream       channel.ID `json:"stream,omitempty"`
}

// read handles GET /messages/:message_id/history. Errors: BadRequest.
func (s *Service) read(ctx context.Context, a kit.Actor, in request) (response, error) {
	v, u, err := kit.Caller(ctx, s.Directory, a)
	if err != nil {
		return response{}, err
	}
	found, err := s.Access.Visible(ctx, v, u, in.ID)
	if err != nil {
		return response{}, err
	}
	policy := v.Realm().Settings.MessageEditHistoryVisibility
	switch {
	case len(found) == 0:
		return response{}, message.Invalid()
	case policy == realm.HistoryNone:
		return response{}, errs.Bad("Message edit history is disabled in this organization")
	}
	edits, err := s.Edits.Of(ctx, []message.ID{in.ID})
	if err != nil {
		return response{}, err
	}
	var first store.Original
	if len(edits[in.ID]) == message.MaxEdits { // older edits may be missing
		if first, err = s.Edits.Original(ctx, in.ID); err != nil {
			return response{}, err
		}
	}
	return response{snapshots(&found[0].Message, edits[in.ID], first, policy, in.EmptyTopic)}, nil
}

// snapshots reconstructs the states of a message by undoing its edits, starting from the current state. If older edits
// are missing, first contains the original state.
func snapshots(
	m *message.Message,
	edits []message.Edit,
	first store.Original,
	policy string,
	emptyTopic bool,
) []snapshot {
	out := make([]snapshot, len(edits)+1)
	name, content, rendered := m.Topic, m.Content, m.Rendered
	for i := len(edits); i > 0; i-- {
		e := edits[i-1]
		after := snapshot{
			Topic:     topic.Show(name, emptyTopic),
			Content:   content,
			Rendered:  rendered,
			Timestamp: e.At.Unix(),
			User:      e.User,
		}
		if e.PrevTopic != nil {
			was := topic.Show(*e.PrevTopic, emptyTopic)
			after.PrevTopic, name = &was, *e.PrevTopic
		}
		if e.To != 0 {
			after.PrevStream, _ = e.From.Channel()
			after.Stream, _ = e.To.Channel()
		}
		if e.PrevContent != nil {
			diff := difference(*e.PrevRendered, rendered, diffTime(len(edits)))
			after.PrevContent, after.PrevRendered, after.Diff = e.PrevContent, e.PrevRendered, &diff
			content, rendered = *e.PrevContent, *e.PrevRendered
		}
		out[i] = after
	}
	if first.Topic != nil {
		name = *first.Topic
	}
	if first.Content != nil {
		content = *first.Content
	}
	if first.Rendered != nil {
		rendered = *first.Rendered
	}
	out[0] = snapshot{
		Topic:     topic.Show(name, emptyTopic),
		Content:   content,
		Rendered:  rendered,
		Timestamp: m.SentAt.Unix(),
		User:      m.Sender,
	}
	if _, isChannel := m.Recipient.Channel(); !isChannel {
		for i := range out {
			out[i].Topic = ""
		}
	}
	if policy != realm.HistoryMoves {
		return out
	}
	return movesOf(out, m)
}

// movesOf removes edits that changed only the content, and shows the current content in the others.
func movesOf(all []snapshot, m *message.Message) []snapshot {
	out := all[:0]
	for i, s := range all {
		if i > 0 && s.PrevTopic == nil && s.Stream == 0 {
			continue
		}
		s.Content, s.Rendered, s.PrevContent, s.PrevRendered, s.Diff = m.Content, m.Rendered, nil, nil, nil
		out = append(out, s)
	}
	return out
}
