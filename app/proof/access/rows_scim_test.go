package access_test

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/stoachat/stoa/app/kittest"
)

// scimTable describes a protocol whose callers are identity providers, with tokens that no account has.
func scimTable() table {
	const rule = "Identity providers, with a token of the organization."
	administers := func(x cell) bool { return x.c.admin() }
	token := &family{
		name:     "token of an identity provider",
		variants: []variant{{kind: "token"}},
		missing:  map[string]string{"token_id": "987654321"},
		make: func(w *fixture, _ variant, _ []*caller) object {
			id := fmt.Sprint(w.do("POST /stoa/scim/tokens", "name", w.fresh()).Int("id"))
			return object{map[string]string{"token_id": id, "id": id}}
		},
	}
	return table{"scim", "Accounts and user groups of identity providers. modules/scim tests the protocol.", []*row{
		{route: "GET mount /scim/v2", rule: rule, who: always("401"), call: "GET mount /scim/v2/Users"},
		{route: "GET mount /scim/v2", name: "by an identity provider", rule: rule, who: anyone, do: provisions},
		{route: "GET /stoa/scim/tokens", rule: "Owners.", who: owners, on: token, found: listedIn("tokens", "id")},
		{route: "POST /stoa/scim/tokens", rule: "Owners.", who: owners, with: []string{"name", "made {n}"},
			after: revokesTokens},
		{route: "DELETE /stoa/scim/tokens/:token_id", rule: "Owners.", who: owners, on: token, lasts: true},
		{route: "GET /stoa/scim/users/:user_id", rule: "Administrators.", who: admins, on: people(), may: administers},
	}}
}

// revokesTokens revokes all tokens, of which an organization has a limited number.
func revokesTokens(w *fixture, _ cell) {
	var all struct {
		Tokens []struct {
			ID int64 `json:"id"`
		} `json:"tokens"`
	}
	w.do("GET /stoa/scim/tokens").JSON(&all)
	for _, t := range all.Tokens {
		w.do(fmt.Sprintf("DELETE /stoa/scim/tokens/%d", t.ID))
	}
}

// provisions reads the accounts as an identity provider, whoever the caller is.
func provisions(w *fixture, x cell) *kittest.Response {
	made := w.do("POST /stoa/scim/tokens", "name", w.fresh())
	req := w.s.Anonymous().Under("").Request("GET /scim/v2/Users", strings.NewReader(""))
	req.Header.Set("Authorization", "Bearer "+made.String("token"))
	a := w.s.Anonymous().RoundTrip(req)
	w.do("DELETE /stoa/scim/tokens/" + fmt.Sprint(made.Int("id")))
	if a.Status == http.StatusOK {
		a.Body = `{"result":"success","msg":""}`
	}
	return a
}
