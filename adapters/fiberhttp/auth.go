package fiberhttp

import (
	"context"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"net/url"
	"strings"

	"github.com/gofiber/fiber/v2"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/session"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
)

// Where clients send the CSRF token.
const (
	csrfHeader = "X-CSRFToken"
	csrfParam  = "csrfmiddlewaretoken"
)

// login authenticates the caller. Clients cannot tell why it failed. Errors: Unauthorized, Unavailable.
func (x *request) login(ctx context.Context) error {
	// The facts may become newer while the credentials are checked, but not older than these.
	if v, err := x.s.Directory.View(ctx, x.actor.Realm); err == nil {
		x.knew = v.Seq()
	}
	if x.route.KeyParam != "" {
		return x.byKey(ctx)
	}
	err := x.identify(ctx)
	if err == nil {
		return nil
	}
	var refusal *errs.Error
	if !x.session && errors.As(err, &refusal) && kit.StatusOf(refusal.Code) < 500 && refusal.Code != errs.Unauthorized {
		return errs.New(errs.Unauthorized, "%s", refusal.Msg).Because(refusal.Unwrap())
	}
	return err
}

// newerFactsExist reports whether refused credentials may just have been created on another node, which is the case if
// the realm has newer facts than those that login began with. Call it after the request was counted. Concurrent
// requests share the check.
func (x *request) newerFactsExist(ctx context.Context, err error) bool {
	var refusal *errs.Error
	if !x.hasCredentials() && x.route.KeyParam == "" || !errors.As(err, &refusal) || !refusesCredentials(refusal.Code) {
		return false
	}
	newer, err := x.s.Directory.Verified(ctx, x.actor.Realm)
	return err == nil && newer.Seq() > x.knew
}

// recount counts a request for its user after it was counted for its address.
func (x *request) recount(ctx context.Context) error {
	if class := x.route.RateClass; x.counted && (class == "" || class == kit.RatePolls || !kit.OwnRateClass(class)) {
		x.s.limits().uncountAddress(x.clientAddr(), x.start)
	}
	x.counted = false
	return x.countOnce(ctx)
}

func (x *request) identify(ctx context.Context) error {
	if x.route.Access.Spectating() && !x.hasCredentials() && x.s.Spectators != nil {
		admits, err := x.s.Spectators.Admits(ctx, x.actor.Realm)
		if err != nil || admits {
			x.actor.Role = user.Guest
			return err
		}
	}
	if x.session {
		return x.bySession(ctx)
	}
	email, key, err := basic(string(x.c.Request().Header.Peek(fiber.HeaderAuthorization)))
	if err != nil {
		return err
	}
	a, err := x.s.Authenticator.Authenticate(ctx, x.actor.Realm, email, key)
	if err != nil {
		return err
	}
	x.actor.User, x.actor.Role, x.actor.Bot, x.actor.Key = a.User, a.Role, a.Bot, a.Key
	x.s.Authenticator.Used(x.actor)
	return nil
}

// byKey authenticates by the API key in a parameter. It reads the body only if the query has no key and the client's
// address is within its rate limit. Errors: Missing, InvalidAPIKey, UserDeactivated, Unavailable, RateLimit, and errors
// of reading the parameters.
func (x *request) byKey(ctx context.Context) error {
	name := x.route.KeyParam
	key := string(x.c.Request().URI().QueryArgs().Peek(name))
	if key == "" && !x.counted {
		x.counted = true
		if err := x.s.limits().countAddress(&x.res.Header, x.clientAddr(), x.start); err != nil {
			return err
		}
	}
	if key == "" {
		if err := x.read(x.route.Limit); err != nil {
			return err
		}
		key = x.in.first(name)
	}
	if key == "" {
		return errs.New(errs.Missing, "Missing '%s' argument", name).With("var_name", name)
	}
	a, err := x.s.Authenticator.ByKey(ctx, x.actor.Realm, key)
	if err != nil {
		return err
	}
	if x.counted {
		x.s.limits().uncountAddress(x.clientAddr(), x.start)
		x.counted = false
	}
	x.actor.User, x.actor.Role, x.actor.Bot, x.actor.Key = a.User, a.Role, a.Bot, a.Key
	x.s.Authenticator.Used(x.actor)
	return nil
}

// cookie returns the value of the session cookie, or "". Over HTTPS, it accepts only the cookie name that other hosts
// cannot set.
func (x *request) cookie() string {
	if x.s.Sessions == nil {
		return ""
	}
	return string(x.c.Request().Header.Cookie(session.CookieName(x.scheme() == "https")))
}

// hasKey reports whether the request carries an API key, valid or not.
func (x *request) hasKey() bool { return len(x.c.Request().Header.Peek(fiber.HeaderAuthorization)) > 0 }

// hasSessionOnly reports whether the request carries a session cookie and no API key.
func (x *request) hasSessionOnly() bool { return !x.hasKey() && x.cookie() != "" }

// hasCredentials reports whether the request carries credentials, valid or not.
func (x *request) hasCredentials() bool { return x.hasKey() || x.session && x.cookie() != "" }

func basic(header string) (email, key string, err error) {
	if header == "" {
		return "", "", errs.NotLoggedIn()
	}
	scheme, text, _ := strings.Cut(header, " ")
	if !strings.EqualFold(scheme, "Basic") {
		return "", "", errs.New(errs.Unauthorized, "This endpoint requires HTTP basic authentication.")
	}
	plain, err := base64.StdEncoding.DecodeString(strings.TrimSpace(text))
	email, key, ok := strings.Cut(string(plain), ":")
	if err != nil || !ok || !validText(email) || !validText(key) {
		return "", "", errs.New(errs.Unauthorized, "Invalid authorization header for basic auth")
	}
	return strings.TrimSpace(email), strings.TrimSpace(key), nil
}

func (x *request) bySession(ctx context.Context) error {
	cookie := x.cookie()
	if cookie == "" {
		return errs.NotLoggedIn()
	}
	a, err := x.s.Sessions.Session(ctx, x.actor.Realm, cookie)
	if err != nil {
		return err
	}
	x.actor.User, x.actor.Role, x.actor.Bot, x.actor.Session = a.User, a.Role, a.Bot, a.Session
	x.csrf = session.CSRF(cookie)
	return nil
}

func (x *request) setRole(u *user.User) { x.actor.Role, x.actor.Bot = u.Role, u.BotType }

// sameSite refuses changes that a page of another site may have triggered. Errors: CSRF.
func (x *request) sameSite() error {
	if !x.session || x.route.Access.Open() || x.c.Method() == fiber.MethodGet || x.c.Method() == fiber.MethodHead {
		return nil
	}
	if err := x.sameOrigin(); err != nil {
		return err
	}
	if x.route.Access.Spectating() && x.actor.User == 0 { // no user whose rights could be abused
		return nil
	}
	token := string(x.c.Request().Header.Peek(csrfHeader))
	if token == "" {
		token = x.in.first(csrfParam)
	}
	if x.csrf == "" || subtle.ConstantTimeCompare([]byte(token), []byte(x.csrf)) != 1 {
		return forged("The header " + csrfHeader + " must repeat the token of the page.")
	}
	return nil
}

// sameOrigin refuses requests from pages of other origins. It requires an Origin or Referer header over HTTPS, where
// all browsers send one. It ignores the scheme, since an untrusted proxy may have terminated TLS. Errors: CSRF.
func (x *request) sameOrigin() error {
	h := &x.c.Request().Header
	from := string(h.Peek(fiber.HeaderOrigin))
	if from == "" {
		from = string(h.Peek(fiber.HeaderReferer))
	}
	if from == "" {
		if x.scheme() == "https" {
			return forged("The request has neither an Origin nor a Referer header.")
		}
		return nil
	}
	u, err := url.Parse(from)
	if err != nil || hostOf(u.Host) != hostOf(string(x.c.Context().Host())) {
		return forged("The request comes from a page of another site.")
	}
	return nil
}

func forged(reason string) error {
	return errs.New(errs.CSRF, "CSRF error: %s", reason).With("reason", reason)
}

// admit checks the route's access rule. Errors: those of kit.Access, Unauthorized.
func (x *request) admit() error {
	if x.route.Access.Open() {
		return nil
	}
	if x.actor.Bot == user.IncomingWebhook && !x.route.ForWebhooks {
		return errs.New(errs.Unauthorized, "This API is not available to incoming webhook bots.")
	}
	return x.route.Access.Check(x.view, x.actor)
}
