package oidc_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/stoachat/stoa/app/kittest"
)

// idp is an OpenID Connect provider, which does what a test tells it to.
type idp struct {
	*httptest.Server

	t     *testing.T
	key   *ecdsa.PrivateKey
	clock *kittest.Clock

	mu     sync.Mutex
	issued map[string]url.Values // the requests of codes that have not been exchanged
	next   int

	person map[string]any // claims of whoever logs in
	info   map[string]any // claims of the UserInfo endpoint, if there are any

	change   func(claims map[string]any)                                    // of the ID token
	sign     func(payload []byte) string                                    // instead of the provider's key
	token    func(w http.ResponseWriter, r *http.Request, id string)        // instead of the answer of the token endpoint
	document func(w http.ResponseWriter, r *http.Request, m map[string]any) // instead of the discovery document
	keys     func(w http.ResponseWriter)                                    // instead of the key set
	client   func(r *http.Request) bool                                     // who the server is, instead of its secret
	requests map[string]int                                                 // by path
	pushed   map[string]url.Values                                          // requests that the server has sent
}

func newIDP(t *testing.T) *idp {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	p := &idp{t: t, key: key, issued: map[string]url.Values{}, requests: map[string]int{}}
	p.pushed, p.person = map[string]url.Values{}, map[string]any{
		"sub": "ada-at-the-provider", "email": "ada@example.com", "email_verified": true, "name": "Ada Lovelace",
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/.well-known/openid-configuration", p.discovery)
	mux.HandleFunc("/keys", p.keySet)
	mux.HandleFunc("/token", p.exchange)
	mux.HandleFunc("/push", p.push)
	mux.HandleFunc("/userinfo", func(w http.ResponseWriter, _ *http.Request) { writeJSON(w, p.info) })
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.mu.Lock()
		p.requests[r.URL.Path]++
		p.mu.Unlock()
		mux.ServeHTTP(w, r)
	}))
	t.Cleanup(p.Close)
	return p
}

func writeJSON(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v)
}

func (p *idp) discovery(w http.ResponseWriter, r *http.Request) {
	m := map[string]any{
		"issuer": p.URL, "authorization_endpoint": p.URL + "/authorize", "token_endpoint": p.URL + "/token",
		"end_session_endpoint": p.URL + "/logout", "jwks_uri": p.URL + "/keys", "userinfo_endpoint": p.URL + "/userinfo",
		"id_token_signing_alg_values_supported": []string{"ES256"},
	}
	if p.document != nil {
		p.document(w, r, m)
		return
	}
	writeJSON(w, m)
}

func (p *idp) keySet(w http.ResponseWriter, _ *http.Request) {
	if p.keys != nil {
		p.keys(w)
		return
	}
	writeJSON(w, jose.JSONWebKeySet{Keys: []jose.JSONWebKey{
		{Key: p.key.Public(), KeyID: "1", Algorithm: "ES256", Use: "sig"},
	}})
}

// authorize does what a person does at the provider, and returns the answer for the server.
func (p *idp) authorize(request string) url.Values {
	p.t.Helper()
	u, err := url.Parse(request)
	if err != nil || !strings.HasPrefix(request, p.URL+"/authorize?") {
		p.t.Fatalf("the browser was sent to %s", request)
	}
	q := u.Query()
	if uri := q.Get("request_uri"); uri != "" {
		if len(q) != 2 || q.Get("client_id") != "stoa" {
			p.t.Errorf("the browser brings %v", q)
		}
		q = p.pushed[uri]
	}
	if q.Get("code_challenge_method") != "S256" || q.Get("response_type") != "code" || len(q.Get("state")) < 43 ||
		len(q.Get("nonce")) < 43 {
		p.t.Errorf("the request is %v", q)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.next++
	code := "code-" + strings.Repeat("x", p.next)
	p.issued[code] = q
	return url.Values{"state": {q.Get("state")}, "code": {code}, "iss": {p.URL}}
}

// knows reports whether a request comes from the server.
func (p *idp) knows(r *http.Request) bool {
	id, secret, basic := r.BasicAuth()
	if !basic {
		id, secret = r.PostFormValue("client_id"), r.PostFormValue("client_secret")
	}
	if p.client != nil {
		return id == "stoa" && p.client(r)
	}
	return id == "stoa" && secret == "hidden"
}

// push takes a pushed authorization request; see RFC 9126.
func (p *idp) push(w http.ResponseWriter, r *http.Request) {
	if !p.knows(r) || r.PostForm.Has("request_uri") {
		w.WriteHeader(http.StatusUnauthorized)
		writeJSON(w, map[string]string{"error": "invalid_client"})
		return
	}
	uri := "urn:ietf:params:oauth:request_uri:" + r.PostFormValue("state")
	p.pushed[uri] = r.PostForm
	w.WriteHeader(http.StatusCreated)
	writeJSON(w, map[string]any{"request_uri": uri, "expires_in": 60})
}

func (p *idp) exchange(w http.ResponseWriter, r *http.Request) {
	known := p.knows(r)
	p.mu.Lock()
	q := p.issued[r.PostFormValue("code")]
	delete(p.issued, r.PostFormValue("code"))
	p.mu.Unlock()
	sum := sha256.Sum256([]byte(r.PostFormValue("code_verifier")))
	if !known || q == nil || q.Get("redirect_uri") != r.PostFormValue("redirect_uri") ||
		q.Get("code_challenge") != base64.RawURLEncoding.EncodeToString(sum[:]) {
		w.WriteHeader(http.StatusBadRequest)
		writeJSON(w, map[string]string{"error": "invalid_grant"})
		return
	}
	now := p.clock.Now()
	claims := map[string]any{
		"iss": p.URL, "aud": "stoa", "iat": now.Unix(), "exp": now.Add(time.Minute).Unix(), "nonce": q.Get("nonce"),
	}
	maps.Copy(claims, p.person)
	if p.change != nil {
		p.change(claims)
	}
	token := p.signed(claims)
	if p.token != nil {
		p.token(w, r, token)
		return
	}
	writeJSON(w, map[string]any{"access_token": "access", "token_type": "Bearer", "expires_in": 60, "id_token": token})
}

func (p *idp) signed(claims map[string]any) string {
	payload, err := json.Marshal(claims)
	if err != nil {
		p.t.Error(err)
	}
	if p.sign != nil {
		return p.sign(payload)
	}
	return sign(p.t, jose.ES256, p.key, payload)
}

func sign(t *testing.T, alg jose.SignatureAlgorithm, key any, payload []byte) string {
	s, err := jose.NewSigner(jose.SigningKey{Algorithm: alg, Key: jose.JSONWebKey{Key: key, KeyID: "1"}}, nil)
	if err != nil {
		t.Error(err)
		return ""
	}
	signed, err := s.Sign(payload)
	if err != nil {
		t.Error(err)
		return ""
	}
	text, err := signed.CompactSerialize()
	if err != nil {
		t.Error(err)
	}
	return text
}

// unsigned returns a token with the algorithm none.
func unsigned(payload []byte) string {
	enc := base64.RawURLEncoding
	return enc.EncodeToString([]byte(`{"alg":"none"}`)) + "." + enc.EncodeToString(payload) + "."
}
