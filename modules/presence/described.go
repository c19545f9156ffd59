package presence

import (
	"github.com/stoachat/stoa/domain/presence"
	"github.com/stoachat/stoa/modules/kit"
)

// The types in this file describe responses that encode themselves.

type summaries struct {
	Aggregated aggregated `json:"aggregated"`
	Website    website    `json:"website"`
}

type aggregated struct {
	Client string `json:"client"`
	presence.Summary
}

// reportShown is the response to a report, which is empty with ping_only.
type reportShown struct {
	Presences kit.Encoded `json:"presences,omitempty"`
	At        float64     `json:"server_timestamp,omitempty"`
	Last      int64       `json:"presence_last_update_id,omitempty"`
}

func schemas() []kit.Schema {
	return []kit.Schema{
		kit.SchemaOf[kit.Encoded]("Presences", "When users were online: by ID with slim_presence, else by email address.",
			map[string]presence.Seen{}, map[string]summaries{}),
	}
}
