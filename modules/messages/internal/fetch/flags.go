package fetch

import (
	"context"
	"encoding/json"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/narrow"
	"github.com/stoachat/stoa/modules/kit"
)

type flagsRequest struct {
	Anchor        *string         `json:"anchor"`
	IncludeAnchor bool            `json:"include_anchor" default:"true"`
	Before        int             `json:"num_before"`
	After         int             `json:"num_after"`
	Narrow        json.RawMessage `json:"narrow" forms:"narrow"`
	Op            string          `json:"op" enum:"add,remove"`
	Flag          string          `json:"flag"`
}

type flagsResponse struct {
	Processed   int          `json:"processed_count"`
	Updated     int          `json:"updated_count"`
	First       *message.ID  `json:"first_processed_id"`
	Last        *message.ID  `json:"last_processed_id"`
	FoundOldest bool         `json:"found_oldest"`
	FoundNewest bool         `json:"found_newest"`
	Ignored     *channel.Set `json:"ignored_because_not_subscribed_channels,omitempty"` // only if the flag read is removed
}

// flags handles POST /messages/flags/narrow. It adds or removes a flag on a range of messages. Errors: BadRequest,
// BadNarrow.
func (s *Service) flags(ctx context.Context, a kit.Actor, in flagsRequest) (flagsResponse, error) {
	if err := s.States.CheckMark(in.Op, in.Flag); err != nil {
		return flagsResponse{}, err
	}
	w, err := in.window()
	if err != nil {
		return flagsResponse{}, err
	}
	terms, err := narrow.Parse(in.Narrow)
	if err != nil {
		return flagsResponse{}, err
	}
	r, err := s.reader(ctx, a)
	if err != nil {
		return flagsResponse{}, err
	}
	q, err := s.query(ctx, r, terms)
	if err != nil {
		return flagsResponse{}, err
	}
	res, err := q.window(ctx, w)
	if err != nil {
		return flagsResponse{}, err
	}
	ids := idsOf(res.heads)
	marked, err := s.States.Mark(ctx, a, ids, in.Op, in.Flag)
	if err != nil {
		return flagsResponse{}, err
	}
	out := flagsResponse{
		Processed: len(ids), Updated: len(marked.Changed), FoundOldest: res.oldest, FoundNewest: res.newest,
	}
	if in.Flag == "read" && in.Op == "remove" {
		out.Ignored = &marked.Ignored
	}
	if len(ids) > 0 {
		out.First, out.Last = &ids[0], &ids[len(ids)-1]
	}
	return out, nil
}

// window parses the requested range and shrinks it if it is too large.
func (in flagsRequest) window() (window, error) {
	if in.Before < 0 {
		return window{}, errs.Bad("Invalid num_before")
	}
	if in.After < 0 {
		return window{}, errs.Bad("Invalid num_after")
	}
	w := window{includeAnchor: in.IncludeAnchor}
	w.before, w.after = clamp(in.Before, in.After)
	if w.before > 0 && w.after > 0 && !w.includeAnchor {
		return w, errs.Bad("The anchor can only be excluded at an end of the range")
	}
	return w, listRequest{Anchor: in.Anchor}.anchor(&w)
}

// clamp limits the sum of two counts to maxMessages. Each count may use half of the maximum and whatever the other
// leaves unused.
func clamp(before, after int) (int, int) {
	before, after = min(before, maxMessages), min(after, maxMessages)
	if over := before + after - maxMessages; over > 0 {
		const half = maxMessages / 2
		if before <= half {
			return before, maxMessages - before
		}
		if after <= half {
			return maxMessages - after, after
		}
		return half, half
	}
	return before, after
}
