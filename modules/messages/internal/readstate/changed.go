package readstate

import (
	"encoding/json"

	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/idset"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/readstate"
)

// changedChunks is the set of chunks in which log entries have changed messages.
type changedChunks struct {
	chunks map[readstate.Chunk]bool
	from   readstate.Chunk // and all from this one on
}

func (c changedChunks) has(n readstate.Chunk) bool { return n >= c.from || c.chunks[n] }

// changedIn returns the chunks in which entries changed or deleted messages. Rerendering a message, as for each link
// preview, does not affect facts.
func changedIn(es []event.Entry) changedChunks {
	out := changedChunks{map[readstate.Chunk]bool{}, readstate.ChunkOf(message.MaxID) + 1}
	for _, e := range es {
		if e.Type != message.EventUpdate && e.Type != message.EventDelete {
			continue
		}
		var of struct {
			Rendering bool                     `json:"rendering"`
			IDs       idset.Packed[message.ID] `json:"ids"`
		}
		first := readstate.ChunkOf(message.ID(e.Ref)) // of the lowest ID
		if err := json.Unmarshal(e.Payload, &of); err != nil || len(of.IDs) == 0 && !of.Rendering {
			out.from = min(out.from, first)
			continue
		}
		if of.Rendering {
			continue
		}
		out.chunks[first] = true
		for _, n := range readstate.Chunks(readstate.IDs(of.IDs)) {
			out.chunks[n] = true
		}
	}
	return out
}
