package pushrelay

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"strconv"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/relay"
)

// Maximum sizes of request bodies in bytes. A notification takes up to 4,000.
const (
	maxRegister = 64 << 10
	maxNotify   = 3 << 20
)

// callHandler handles a request of an authenticated server.
type callHandler func(ctx context.Context, by *relay.Server, r *http.Request) (map[string]any, error)

// handler serves one path. It authenticates the server before it reads the body.
func (s *service) handler(path string, do callHandler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != path {
			writeError(w, http.StatusNotFound, errs.New(errs.NotFound, "Not found"))
			return
		}
		if r.Method != http.MethodPost {
			w.Header().Set("Allow", http.MethodPost)
			writeError(w, http.StatusMethodNotAllowed, errs.New(errs.MethodNotAllowed, "Only POST is allowed here."))
			return
		}
		response, err := s.serve(r, do)
		if err != nil {
			s.handleError(w, r, err)
			return
		}
		body := map[string]any{"result": "success", "msg": ""}
		maps.Copy(body, response)
		writeJSON(w, http.StatusOK, body)
	})
}

func (s *service) serve(r *http.Request, do callHandler) (map[string]any, error) {
	by, err := s.authenticate(r)
	if err != nil {
		return nil, err
	}
	end, ok := s.limits.begin(by.ID, s.cfg.MaxCalls)
	if !ok {
		return nil, errs.New(errs.RateLimit, "Too many calls at the same time.").With("retry-after", 1)
	}
	defer end()
	return do(r.Context(), by, r)
}

// authenticate returns the calling server. Errors: Unauthorized.
func (s *service) authenticate(r *http.Request) (*relay.Server, error) {
	denied := errs.New(errs.Unauthorized, "The server is not registered with this push service, or its key is wrong.")
	id, key, ok := r.BasicAuth()
	if !ok || !isID(id) {
		return nil, denied
	}
	by, hash, err := s.store.Server(r.Context(), id)
	if err != nil {
		return nil, err
	}
	if by == nil || !relay.KeyFits(key, hash) || !by.Removed.IsZero() {
		return nil, denied
	}
	return by, nil
}

// readBody reads the body. The edge limits its size. Errors: TooLarge, BadRequest.
func readBody(r *http.Request) ([]byte, error) {
	body, err := io.ReadAll(r.Body)
	var coded *errs.Error
	if err != nil && !errors.As(err, &coded) {
		return nil, errs.Bad("The body cannot be read.").Because(err)
	}
	return body, err
}

// statuses maps error codes to HTTP statuses. The default is 400.
var statuses = map[errs.Code]int{
	errs.Unauthorized:       http.StatusUnauthorized,
	errs.RateLimit:          http.StatusTooManyRequests,
	errs.TooLarge:           http.StatusRequestEntityTooLarge,
	errs.MissingRemoteRealm: http.StatusForbidden,
	errs.Unavailable:        http.StatusServiceUnavailable,
}

// handleError writes the response for an error. The texts of internal errors are logged, not sent.
func (s *service) handleError(w http.ResponseWriter, r *http.Request, err error) {
	var e *errs.Error
	switch {
	case errors.As(err, &e):
		status, ok := statuses[e.Code]
		if !ok {
			status = http.StatusBadRequest
		}
		if after, ok := e.Extra["retry-after"].(int); ok {
			w.Header().Set("Retry-After", strconv.Itoa(after))
		}
		writeError(w, status, e)
	case r.Context().Err() != nil:
		writeError(w, http.StatusServiceUnavailable,
			errs.New(errs.Unavailable, "The request took too long to process; please try again."))
	default:
		s.Logger.ErrorContext(r.Context(), "push relay request failed", "path", r.URL.Path, "error", err)
		writeError(w, http.StatusInternalServerError, errs.New(errs.Internal, "Internal server error"))
	}
}

func writeError(w http.ResponseWriter, status int, e *errs.Error) {
	body := map[string]any{"result": "error", "msg": e.Msg, "code": e.Code}
	maps.Copy(body, e.Extra)
	writeJSON(w, status, body)
}

func writeJSON(w http.ResponseWriter, status int, body any) {
	b, err := json.Marshal(body)
	if err != nil {
		status, b = http.StatusInternalServerError, nil
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(b) // the client may have disconnected
}
