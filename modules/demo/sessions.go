package demo

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"maps"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit/page"
)

// sessions are the browsers that are logged in, in memory: after a restart they log in again.
type sessions struct {
	*service
	mu sync.Mutex
	by map[[sha256.Size]byte]session // by the hash of the cookie, so that memory holds no cookie

	keys keys
}

type session struct {
	realm realm.ID
	user  user.ID
	csrf  string
	ends  time.Time
}

func newSessions(s *service) *sessions {
	return &sessions{service: s, by: map[[sha256.Size]byte]session{}, keys: keys{by: map[holder]string{}}}
}

// Session gives who a cookie belongs to; see ports.Sessions.
func (s *sessions) Session(_ context.Context, r realm.ID, cookie string) (user.ID, string, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	one, ok := s.by[sha256.Sum256([]byte(cookie))]
	if !ok || one.realm != r || !s.Clock.Now().Before(one.ends) {
		return 0, "", false
	}
	return one.user, one.csrf, true
}

// begin makes a session and gives its cookie.
func (s *sessions) begin(r realm.ID, u user.ID) (cookie string, one session) {
	now := s.Clock.Now()
	cookie, one = rand.Text(), session{r, u, rand.Text(), now.Add(s.cfg.SessionLife)}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.by) >= s.cfg.MaxSessions {
		s.forget(now)
	}
	s.by[sha256.Sum256([]byte(cookie))] = one
	return cookie, one
}

// forget makes room: what has ended, or else whichever comes first.
func (s *sessions) forget(now time.Time) {
	for k, one := range s.by {
		if !now.Before(one.ends) {
			delete(s.by, k)
		}
	}
	for k := range s.by {
		if len(s.by) < s.cfg.MaxSessions {
			return
		}
		delete(s.by, k)
	}
}

// deactivated ends the sessions of somebody whose account ends: they must not come back with it.
func (s *sessions) deactivated(_ context.Context, m *user.Deactivated) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	maps.DeleteFunc(s.by, func(_ [sha256.Size]byte, one session) bool { return one.realm == m.Realm && one.user == m.User })
	return nil
}

// login logs a browser in as the person with the e-mail address username, and sets the cookies sessionid and csrftoken.
func (s *sessions) login(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		reply(w, http.StatusMethodNotAllowed, map[string]any{"result": "error", "msg": "Method Not Allowed", "code": errs.MethodNotAllowed, "allowed_methods": []string{"POST"}})
		return
	}
	if err := nearby(r.Host); err != nil {
		refuse(w, err)
		return
	}
	if err := page.ReadForm(r); err != nil { // no page of another site logs a browser in
		refuse(w, err)
		return
	}
	host := r.Host
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	u, in, err := s.enter(r.Context(), host, r.PostForm.Get("username"))
	if err != nil {
		refuse(w, err)
		return
	}
	for _, cookie := range s.cookies(in, u.ID) {
		http.SetCookie(w, cookie)
	}
	reply(w, http.StatusOK, map[string]any{"result": "success", "msg": "", "email": u.DeliveryEmail, "user_id": u.ID})
}

// cookies begins a session and returns its cookies.
func (s *sessions) cookies(r realm.ID, u user.ID) []*http.Cookie {
	id, one := s.begin(r, u)
	cookie := func(name, value string) *http.Cookie {
		return &http.Cookie{ //nolint:gosec // not Secure: it is plain HTTP on this machine
			Name: name, Value: value, Path: "/", Expires: one.ends, HttpOnly: name == "sessionid", SameSite: http.SameSiteLaxMode,
		}
	}
	return []*http.Cookie{cookie("sessionid", id), cookie("csrftoken", one.csrf)}
}

func (s *sessions) enter(ctx context.Context, host, email string) (*user.User, realm.ID, error) {
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
		reply(w, http.StatusInternalServerError, map[string]any{"result": "error", "msg": "Internal server error", "code": errs.Internal})
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
		status, b = http.StatusInternalServerError, []byte(`{"result":"error","msg":"Internal server error","code":"INTERNAL_SERVER_ERROR"}`)
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(b)
}
