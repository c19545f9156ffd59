package demo

import (
	"context"
	"net/http"
	"net/url"
	"sync"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
)

type fetchReq struct {
	Username string `json:"username"`
	Origin   string `header:"Origin"`
	Site     string `header:"Sec-Fetch-Site"`
}

type fetchRes struct {
	Key    string  `json:"api_key"`
	Email  string  `json:"email"`
	UserID user.ID `json:"user_id"`

	cookies []*http.Cookie
}

// Cookies implements kit.WithCookies: the response also logs a browser in.
func (r fetchRes) Cookies() []*http.Cookie { return r.cookies }

// fetchKey handles POST /dev_fetch_api_key. Errors: BadRequest, CSRF, AuthenticationFailed, UserDeactivated.
func (s *service) fetchKey(ctx context.Context, a kit.Actor, in fetchReq) (fetchRes, error) {
	if err := checkLocalURL(a.URL); err != nil {
		return fetchRes{}, err
	}
	if err := in.sameSite(a.URL); err != nil {
		return fetchRes{}, err
	}
	u, err := s.person(ctx, a.Realm, in.Username)
	if err != nil {
		return fetchRes{}, err
	}
	key, err := s.keys.get(ctx, s, a, u)
	if err != nil {
		return fetchRes{}, err
	}
	cookies, err := s.cookies(ctx, a, u.ID)
	return fetchRes{key, u.DeliveryEmail, u.ID, cookies}, err
}

// sameSite rejects requests sent by pages of other sites. Errors: CSRF.
func (in fetchReq) sameSite(site string) error {
	to, err := url.Parse(site)
	if err != nil {
		return errs.Bad("The address can't be read.").Because(err)
	}
	r := &http.Request{Method: http.MethodPost, URL: to, Host: to.Host, Header: http.Header{}}
	for name, value := range map[string]string{"Origin": in.Origin, "Sec-Fetch-Site": in.Site} {
		if value != "" {
			r.Header.Set(name, value)
		}
	}
	if err := http.NewCrossOriginProtection().Check(r); err != nil {
		return errs.New(errs.CSRF, "Pages of other sites can't log in without a password.")
	}
	return nil
}

// keys caches issued API keys in memory, so that repeated requests get the same key while it is valid.
type keys struct {
	mu sync.Mutex
	by map[holder]string
}

type holder struct {
	realm realm.ID
	user  user.ID
}

// maxKeys is the maximum number of cached keys.
const maxKeys = 10_000

// get returns a valid API key of u.
func (k *keys) get(ctx context.Context, s *service, a kit.Actor, u *user.User) (string, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	who := holder{a.Realm, u.ID}
	if key := k.by[who]; key != "" {
		if _, err := s.Authenticator.Authenticate(ctx, a.Realm, u.DeliveryEmail, key); err == nil {
			return key, nil
		} else if !errs.Is(err, errs.Unauthorized) {
			return "", err
		}
	}
	key, err := s.Accounts.IssueKey(ctx, user.Actor{Realm: a.Realm, System: true, Client: a.Client}, u.ID)
	if err != nil {
		return "", err
	}
	if len(k.by) >= maxKeys {
		clear(k.by)
	}
	k.by[who] = key
	return key, nil
}

// person returns the active human user with an email address. Errors: AuthenticationFailed, UserDeactivated,
// RealmDeactivated.
func (s *service) person(ctx context.Context, r realm.ID, email string) (*user.User, error) {
	v, err := s.Directory.Verified(ctx, r)
	if err != nil {
		return nil, err
	}
	u := v.UserByEmail(email)
	switch {
	case u == nil || u.IsBot():
		return nil, errs.New(errs.AuthenticationFailed, "No user has this email address")
	case v.Realm() == nil || v.Realm().Deactivated:
		return nil, errs.New(errs.RealmDeactivated, "This organization has been deactivated")
	case !u.Active:
		return nil, user.LoginDeactivated()
	}
	return u, nil
}

type listed struct {
	Email string `json:"email"`
	Realm string `json:"realm_url"`
}

type listRes struct {
	Admins []listed `json:"direct_admins"`
	Users  []listed `json:"direct_users"`
}

func (s *service) listUsers(ctx context.Context, a kit.Actor, _ kit.None) (listRes, error) {
	res := listRes{[]listed{}, []listed{}}
	if err := checkLocalURL(a.URL); err != nil {
		return res, err
	}
	v, err := s.Directory.View(ctx, a.Realm)
	if err != nil {
		return res, err
	}
	for u := range v.Users() {
		if !u.Active || u.IsBot() || u.System {
			continue
		}
		to := &res.Users
		if u.IsAdmin() {
			to = &res.Admins
		}
		if len(*to) < s.cfg.MaxListed {
			*to = append(*to, listed{u.DeliveryEmail, a.URL})
		}
	}
	return res, nil
}
