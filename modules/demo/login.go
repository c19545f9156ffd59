package demo

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/http"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/session"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit/page"
)

// login logs a browser in as the user whose email address is in the form field username, and sets the cookies of the
// session and csrftoken.
func (s *service) login(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		reply(
			w,
			http.StatusMethodNotAllowed,
			map[string]any{
				"result":          "error",
				"msg":             "Method Not Allowed",
				"code":            errs.MethodNotAllowed,
				"allowed_methods": []string{"POST"},
			},
		)
		return
	}
	if err := checkLocalHost(r.Host); err != nil {
		refuse(w, err)
		return
	}
	if err := page.ReadForm(r); err != nil { // rejects forms from other sites
		refuse(w, err)
		return
	}
	host := r.Host
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	u, in, err := s.findUser(r.Context(), host, r.PostForm.Get("username"))
	if err != nil {
		refuse(w, err)
		return
	}
	by := page.Visitor(r)
	by.Realm = in
	cookies, err := s.cookies(r.Context(), by, u.ID)
	if err != nil {
		refuse(w, err)
		return
	}
	for _, cookie := range cookies {
		http.SetCookie(w, cookie)
	}
	reply(w, http.StatusOK, map[string]any{"result": "success", "msg": "", "email": u.DeliveryEmail, "user_id": u.ID})
}

// cookies starts a session and returns its cookies, plus one with the CSRF token, since development clients have no
// page to read the token from.
func (s *service) cookies(ctx context.Context, by user.Actor, u user.ID) ([]*http.Cookie, error) {
	begun, err := s.Sessions.Begin(ctx, by, u)
	cookie := func(name, value string) *http.Cookie {
		return &http.Cookie{ //nolint:gosec // not Secure: plain HTTP on the local machine
			Name: name, Value: value, Path: "/", Expires: begun.Ends,
			HttpOnly: name == session.CookieName(false), SameSite: http.SameSiteLaxMode,
		}
	}
	return []*http.Cookie{
		cookie(session.CookieName(false), begun.Cookie), cookie(session.OwnerName(false), begun.Owner),
		cookie("csrftoken", begun.CSRF),
	}, err
}

func (s *service) findUser(ctx context.Context, host, email string) (*user.User, realm.ID, error) {
	if email == "" {
		return nil, 0, errs.New(errs.Missing, "Missing 'username' argument").With("var_name", "username")
	}
	r, err := s.Realms.Resolve(ctx, host)
	if err != nil {
		return nil, 0, err
	}
	u, err := s.person(ctx, r, email)
	return u, r, err
}

func refuse(w http.ResponseWriter, err error) {
	var e *errs.Error
	if !errors.As(err, &e) {
		reply(
			w,
			http.StatusInternalServerError,
			map[string]any{"result": "error", "msg": "Internal server error", "code": errs.Internal},
		)
		return
	}
	status := http.StatusBadRequest
	switch e.Code {
	case errs.AuthenticationFailed, errs.UserDeactivated, errs.RealmDeactivated:
		status = http.StatusUnauthorized
	case errs.NonexistentSubdomain:
		status = http.StatusNotFound
	case errs.CSRF:
		status = http.StatusForbidden
	case errs.TooLarge:
		status = http.StatusRequestEntityTooLarge
	case errs.Unavailable:
		status = http.StatusServiceUnavailable
		w.Header().Set("Retry-After", "1")
	}
	body := map[string]any{"result": "error", "msg": e.Msg, "code": e.Code}
	for k, v := range e.Extra {
		body[k] = v
	}
	reply(w, status, body)
}

func reply(w http.ResponseWriter, status int, body map[string]any) {
	b, err := json.Marshal(body)
	if err != nil {
		status, b = http.StatusInternalServerError, []byte(
			`{"result":"error","msg":"Internal server error","code":"INTERNAL_SERVER_ERROR"}`,
		)
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(b)
}
