package realm

import (
	"context"
	"net/http"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/modules/kit"
)

type commandReq struct {
	Command string `json:"command"`
}

// command is POST /zcommand, by which browsers measure how long an answer takes. Errors: BadRequest.
func (s *service) command(_ context.Context, _ kit.Actor, in commandReq) (kit.None, error) {
	if in.Command != "ping" && in.Command != "/ping" {
		return kit.None{}, errs.Bad("No such command: %.60s", in.Command)
	}
	return kit.None{}, nil
}

// nothing is GET /generate_204.
func nothing(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}
