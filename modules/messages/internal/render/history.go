package render

import (
	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/topic"
	"github.com/stoachat/stoa/domain/user"
)

// Edit is an entry of edit_history.
type Edit struct {
	User         user.ID    `json:"user_id" forms:"integer" doc:"The ID of the user; 0: not known, as in some imports."`
	Timestamp    int64      `json:"timestamp"`
	PrevContent  *string    `json:"prev_content,omitempty"`
	PrevRendered *string    `json:"prev_rendered_content,omitempty"`
	PrevTopic    *string    `json:"prev_topic,omitempty"`
	Topic        *string    `json:"topic,omitempty"`
	PrevStream   channel.ID `json:"prev_stream,omitempty"`
	Stream       channel.ID `json:"stream,omitempty"`
}

// history returns the edits that the policy allows users to see, newest first, or nil if there are none.
func history(policy string, edits []message.Edit, emptyTopic bool) []Edit {
	if policy == realm.HistoryNone {
		return nil
	}
	var out []Edit
	for i := len(edits) - 1; i >= 0; i-- {
		e := edits[i]
		entry := Edit{User: e.User, Timestamp: e.At.Unix(), PrevContent: e.PrevContent, PrevRendered: e.PrevRendered}
		if policy == realm.HistoryMoves {
			if e.PrevTopic == nil && e.To == 0 {
				continue
			}
			entry.PrevContent, entry.PrevRendered = nil, nil
		}
		if e.PrevTopic != nil && e.Topic != nil {
			was, is := topic.Show(*e.PrevTopic, emptyTopic), topic.Show(*e.Topic, emptyTopic)
			entry.PrevTopic, entry.Topic = &was, &is
		}
		if e.To != 0 {
			entry.PrevStream, _ = e.From.Channel()
			entry.Stream, _ = e.To.Channel()
		}
		out = append(out, entry)
	}
	return out
}
