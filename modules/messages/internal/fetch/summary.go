package fetch

import (
	"context"
	"encoding/json"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/modules/kit"
)

type summaryRequest struct {
	Narrow *json.RawMessage `json:"narrow" forms:"narrow"`
}

type summaryResponse struct {
	Summary string `json:"summary"` // Markdown
}

// summary handles GET /messages/summary. The server does not support summaries, so it responds to valid requests with
// the documented error. Errors: BadRequest, BadNarrow.
func (s *Service) summary(_ context.Context, _ kit.Actor, in summaryRequest) (summaryResponse, error) {
	if _, err := parse(in.Narrow); err != nil {
		return summaryResponse{}, err
	}
	return summaryResponse{}, errs.Bad("AI features are not enabled on this server.")
}
