package access_test

import (
	"net/http/httptest"
	"strconv"
	"strings"

	"github.com/golang-jwt/jwt/v5"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/domain/signin"
)

func identitiesTable() table {
	olgas := func(x cell) bool { return x.c == x.w.olga }
	own := &family{name: "identity", missing: map[string]string{"identity_id": "987654321"}, sees: olgas,
		variants: []variant{{kind: "identity", relation: "of olga"}},
		make: func(w *fixture, _ variant, _ []*caller) object {
			id := identify(w, w.olga)
			return object{map[string]string{"identity_id": id, "id": id}}
		}}
	return table{"identities", "Accounts at identity providers. The pages are described in modules/identities.", []*row{
		{route: "GET /stoa/identities/users/:user_id", rule: "Administrators, except bots, for users of the organization.",
			who: elsewhere("400 BAD_REQUEST", admins), call: "GET /stoa/identities/users/{olga}"},
		{route: "GET /stoa/identities", rule: "Users other than bots, for themselves.", who: humans, on: own, may: olgas,
			found: listedIn("identities", "id")},
		{route: "POST /stoa/identities", name: "with an API key", rule: "No one: it needs a browser's session.",
			who: withSession, with: []string{"provider", "oidc:corp"}},
		{route: "DELETE /stoa/identities/:identity_id", rule: "The owner of the identity.", who: humans, on: own,
			may: olgas, lasts: true},
		{route: "GET mount /accounts/connect", name: "without a login in progress", rule: "No one.", who: always("404")},
	}}
}

// withSession refuses everybody, since the callers have no sessions.
func withSession(c *caller) string {
	if refused := humans(c); refused != "" {
		return refused
	}
	return "401 UNAUTHORIZED"
}

// identify logs a user in with a new identity, and returns its ID.
func identify(w *fixture, c *caller) string {
	w.t.Helper()
	p := signin.Provider{ID: "oidc:" + w.fresh(), Name: "Corp", Link: true}
	r := httptest.NewRequestWithContext(w.t.Context(), "GET", w.s.URL+"/complete/oidc/corp/", strings.NewReader(""))
	r.RequestURI = ""
	rec := httptest.NewRecorder()
	w.s.Ports.Identities.Finish(rec, r, p, signin.Started{Intent: signin.LogIn},
		signin.Identity{Subject: w.fresh(), Email: c.mail, Verified: true})
	var all struct {
		Identities []struct {
			ID       int64  `json:"id"`
			Provider string `json:"provider"`
		} `json:"identities"`
	}
	c.at.Do("GET /stoa/identities").OK().JSON(&all)
	for _, one := range all.Identities {
		if one.Provider == p.ID {
			return kittest.JSON(one.ID)
		}
	}
	w.t.Fatalf("no identity was connected: %d %s", rec.Code, rec.Body)
	return ""
}

// oidcTable describes the routes of a provider that does not respond. Logins are tested in modules/oidc.
func oidcTable() table {
	return table{"oidc", "Login with OpenID Connect. The flow is described in modules/oidc.", []*row{
		{route: "GET mount /accounts/login/social/oidc/corp", name: "another page", rule: "No one.", who: always("404"),
			call: "GET mount /accounts/login/social/oidc/corp/other"},
		{route: "GET mount /accounts/register/social/oidc/corp", name: "another page", rule: "No one.", who: always("404"),
			call: "GET mount /accounts/register/social/oidc/corp/other"},
		{route: "GET mount /complete/oidc/corp", name: "without a login in progress", rule: "No one.", who: always("400")},
		{route: "GET mount /oidc/corp/backchannel-logout", name: "without a token",
			rule: "The provider, with a logout token.", who: always("400"),
			call: "POST mount /oidc/corp/backchannel-logout"},
	}}
}

// samlTable describes the routes of a provider that does not respond. Logins are tested in modules/saml.
func samlTable() table {
	return table{"saml", "Login with SAML. The flow is described in modules/saml.", []*row{
		{route: "GET mount /accounts/login/social/saml/corp", name: "another page", rule: "No one.", who: always("404"),
			call: "GET mount /accounts/login/social/saml/corp/other"},
		{route: "GET mount /accounts/register/social/saml/corp", name: "another page", rule: "No one.", who: always("404"),
			call: "GET mount /accounts/register/social/saml/corp/other"},
		{route: "GET mount /complete/saml/corp", name: "without an answer", rule: "The provider's form.",
			who: always("405")},
		{route: "GET mount /saml/corp/logout", name: "another page", rule: "No one.", who: always("404"),
			call: "GET mount /saml/corp/logout/other"},
		{route: "GET mount /saml/corp/metadata.xml", rule: "Everyone.", who: anyone},
	}}
}

// headerloginTable describes the routes for people whom a proxy authenticates. modules/headerlogin tests logins.
func headerloginTable() table {
	return table{"headerlogin", "Login by the header of a proxy. The flow is described in modules/headerlogin.", []*row{
		{route: "GET mount /accounts/login/start/sso", name: "another page", rule: "No one.", who: always("404"),
			call: "GET mount /accounts/login/start/sso/other"},
		{route: "GET mount /accounts/login/sso", name: "without a login in progress", rule: "No one.", who: always("400"),
			call: "GET mount /accounts/login/sso/?state=x"},
	}}
}

// jwtloginTable describes the routes for people with a token of another site. modules/jwtlogin tests logins.
func jwtloginTable() table {
	const byToken = "POST /jwt/fetch_api_key"
	return table{"jwtlogin", "Login by JSON Web Token. The flow is described in modules/jwtlogin.", []*row{
		{route: "GET mount /accounts/login/jwt", name: "another page", rule: "No one.", who: always("404"),
			call: "GET mount /accounts/login/jwt/other"},
		{route: byToken, rule: "Everyone with a valid token, on the host of the key's organization.",
			who: elsewhere("400 BAD_REQUEST", anyone), do: logsInByToken},
		{route: byToken, name: "a bad token", rule: "No one.", who: always("400 BAD_REQUEST"),
			with: []string{"token", "x"}},
	}}
}

// logsInByToken logs in as olga with a new, correctly signed token, since each counts once.
func logsInByToken(w *fixture, x cell) *kittest.Response {
	w.tokens++
	token, err := jwt.NewWithClaims(jwt.SigningMethodHS256, jwt.MapClaims{
		"email": w.olga.mail, "exp": w.s.Clock.Now().Unix() + 60, "jti": strconv.Itoa(w.tokens),
	}).SignedString([]byte(tokenKey))
	w.must(err)
	return w.ask(x.c, "POST /jwt/fetch_api_key", "token", token)
}
