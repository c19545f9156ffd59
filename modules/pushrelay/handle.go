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

// Maximum sizes of request bodies in bytes. A notification has up to 4,000.
const (
	maxRegister = 64 << 10
	maxNotify   = 3 << 20
)

// call handles a request of an authenticated server.
type call func(ctx context.Context, by *relay.Server, r *http.Request) (map[string]any, error)

// handler serves one path. It authenticates the server before it reads the body.
func (s *service) handler(path string, do call) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != path {
			refuse(w, http.StatusNotFound, errs.New(errs.NotFound, "Not found"))
			return
		}
		if r.Method != http.MethodPost {
			w.Header().Set("Allow", http.MethodPost)
			refuse(w, http.StatusMethodNotAllowed, errs.New(errs.MethodNotAllowed, "Only POST is allowed here."))
			return
		}
		answer, err := s.serve(r, do)
		if err != nil {
			s.fail(w, r, err)
			return
		}
		body := map[string]any{"result": "success", "msg": ""}
		maps.Copy(body, answer)
		write(w, http.StatusOK, body)
	})
}

func (s *service) serve(r *http.Request, do call) (map[string]any, error) {
	by, err := s.login(r)
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

// login returns the calling server. Errors: Unauthorized.
func (s *service) login(r *http.Request) (*relay.Server, error) {
	refused := errs.New(errs.Unauthorized, "The server is not registered with this push service, or its key is wrong.")
	id, key, ok := r.BasicAuth()
	if !ok || !isID(id) {
		return nil, refused
	}
	by, hash, err := s.store.Server(r.Context(), id)
	if err != nil {
		return nil, err
	}
	if by == nil || !relay.KeyFits(key, hash) || !by.Removed.IsZero() {
		return nil, refused
	}
	return by, nil
}

// readBody reads the body, whose size the edge limits. Errors: TooLarge, BadRequest.
func readBody(r *http.Request) ([]byte, error) {
	body, err := io.ReadAll(r.Body)
	var known *errs.Error
	if err != nil && !errors.As(err, &known) {
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

// fail writes an error. Internal errors are logged and hidden.
func (s *service) fail(w http.ResponseWriter, r *http.Request, err error) {
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
		refuse(w, status, e)
	case r.Context().Err() != nil:
		refuse(w, http.StatusServiceUnavailable,
			errs.New(errs.Unavailable, "The request took too long to process; please try again."))
	default:
		s.Logger.ErrorContext(r.Context(), "the push relay failed", "path", r.URL.Path, "error", err)
		refuse(w, http.StatusInternalServerError, errs.New(errs.Internal, "Internal server error"))
	}
}

func refuse(w http.ResponseWriter, status int, e *errs.Error) {
	body := map[string]any{"result": "error", "msg": e.Msg, "code": e.Code}
	maps.Copy(body, e.Extra)
	write(w, status, body)
}

func write(w http.ResponseWriter, status int, body any) {
	b, err := json.Marshal(body)
	if err != nil {
		status, b = http.StatusInternalServerError, nil
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(b) // the client may be gone
}
