package pushrelay_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

// refusal is an error response of a push service.
type refusal struct {
	status int
	body   string
	after  string // Retry-After
}

// delivered is a notification accepted by a push service.
type delivered struct {
	token   string
	header  http.Header
	payload []byte
}

// service is a fake push service. It checks requests like the real one, and accepts or refuses them. It records those
// that it accepts.
type service struct {
	*httptest.Server
	t        *testing.T
	mu       sync.Mutex
	refusals map[string][]refusal // by token, for its next requests
	got      []delivered
	requests int
	hangs    atomic.Bool // requests are not answered until free is closed
	waiting  atomic.Int64
	free     chan struct{}
}

func newService(
	t *testing.T, check func(*service, *http.Request, []byte) (token string, payload []byte, r *refusal),
) *service {
	s := &service{t: t, refusals: map[string][]refusal{}, free: make(chan struct{})}
	s.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		if s.hangs.Load() {
			s.waiting.Add(1)
			<-s.free
			return
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		token, payload, refused := check(s, r, body)
		s.requests++
		if next := s.refusals[token]; refused == nil && len(next) > 0 {
			refused, s.refusals[token] = &next[0], next[1:]
		}
		if refused != nil {
			if refused.after != "" {
				w.Header().Set("Retry-After", refused.after)
			}
			w.WriteHeader(refused.status)
			_, _ = io.WriteString(w, refused.body)
			return
		}
		s.got = append(s.got, delivered{token, r.Header.Clone(), payload})
		if r.Header.Get("Ttl") != "" {
			w.WriteHeader(http.StatusCreated)
		}
		_, _ = io.WriteString(w, "{}")
	}))
	s.EnableHTTP2 = true
	s.StartTLS()
	t.Cleanup(s.Close)
	return s
}

// refuse makes the next requests for a token fail.
func (s *service) refuse(token string, all ...refusal) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refusals[token] = all
}

// takeDelivered returns the accepted notifications and the number of requests since the last call.
func (s *service) takeDelivered() ([]delivered, int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	got, n := s.got, s.requests
	s.got, s.requests = nil, 0
	return got, n
}

// takeOne returns the only notification since the last call.
func (s *service) takeOne() delivered {
	s.t.Helper()
	got, _ := s.takeDelivered()
	if len(got) != 1 {
		s.t.Fatalf("the push service accepted %d notifications, want one", len(got))
	}
	return got[0]
}

// certificate writes the certificate shared by these services to a file.
func (s *service) certificate() string {
	return writeFile(s.t, "ca.pem", pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw}))
}

func writeFile(t *testing.T, name string, b []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func privatePEM(t *testing.T, key any) []byte {
	t.Helper()
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})
}

func newECDSA(t *testing.T) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

const (
	apnsKeyID, apnsTeam = "KEY1234567", "TEAM123456"
	app                 = "org.example.chat"
)

// newAPNs returns a fake of APNs. ttl is the expected expiration of notifications.
func newAPNs(t *testing.T, key *ecdsa.PublicKey, now func() time.Time, ttl time.Duration) *service {
	return newService(t, func(s *service, r *http.Request, body []byte) (string, []byte, *refusal) {
		if r.ProtoMajor != 2 || r.Method != http.MethodPost {
			t.Errorf("APNs was called by %s with HTTP %d", r.Method, r.ProtoMajor)
		}
		token, ok := strings.CutPrefix(r.URL.Path, "/3/device/")
		if !ok {
			t.Errorf("APNs was called at %s", r.URL.Path)
		}
		bearer, _ := strings.CutPrefix(r.Header.Get("Authorization"), "bearer ")
		claims := jwt.MapClaims{}
		parsed, err := jwt.ParseWithClaims(bearer, claims, func(*jwt.Token) (any, error) { return key, nil },
			jwt.WithValidMethods([]string{"ES256"}), jwt.WithIssuedAt(), jwt.WithIssuer(apnsTeam))
		if err != nil || parsed.Header["kid"] != apnsKeyID {
			return token, nil, &refusal{status: 403, body: `{"reason":"InvalidProviderToken"}`}
		}
		h := r.Header
		background := h.Get("Apns-Push-Type") == "background"
		var payload struct {
			APS struct {
				Mutable   int `json:"mutable-content"`
				Available int `json:"content-available"`
				Alert     *struct {
					Title string `json:"title"`
				} `json:"alert"`
			} `json:"aps"`
			KeyID uint32 `json:"push_key_id"`
		}
		if err := json.Unmarshal(body, &payload); err != nil || len(body) > 4096 {
			t.Errorf("APNs payload of %d bytes: %v", len(body), err)
		}
		switch aps := payload.APS; {
		case background && (h.Get("Apns-Priority") != "5" || aps.Available != 1 || aps.Alert != nil),
			!background && (h.Get("Apns-Push-Type") != "alert" || h.Get("Apns-Priority") != "10" || aps.Mutable != 1 ||
				aps.Alert == nil || aps.Alert.Title != "New notification"):
			t.Errorf("APNs headers %v do not match the payload %s", h, body)
		}
		if id := h.Get("Apns-Collapse-Id"); len(id) != 32 {
			t.Errorf("collapse ID %q", id)
		}
		want := strconv.FormatInt(now().Add(ttl).Unix(), 10)
		if h.Get("Apns-Expiration") != want || h.Get("Apns-Topic") != app {
			t.Errorf("expires %s, want %s; topic %s", h.Get("Apns-Expiration"), want, h.Get("Apns-Topic"))
		}
		return token, body, nil
	})
}

const (
	fcmEmail, fcmProject = "push@example.iam.gserviceaccount.com", "example-project"
	fcmScope             = "https://www.googleapis.com/auth/firebase.messaging"
)

// fcmService is a fake of Firebase Cloud Messaging and of Google's token endpoint.
type fcmService struct {
	*service
	key    *rsa.PrivateKey
	logins int
}

func newFCM(t *testing.T) *fcmService {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	f := &fcmService{key: key}
	f.service = newService(t, func(s *service, r *http.Request, body []byte) (string, []byte, *refusal) {
		if r.URL.Path == "/token" {
			return "login", nil, f.login(r, body)
		}
		if r.URL.Path != "/v1/projects/"+fcmProject+"/messages:send" || r.Method != http.MethodPost {
			t.Errorf("FCM was called at %s", r.URL.Path)
		}
		if r.Header.Get("Authorization") != "Bearer login-"+strconv.Itoa(f.logins) {
			return "", nil, &refusal{status: 401, body: `{"error":{"status":"UNAUTHENTICATED"}}`}
		}
		var in struct {
			Message map[string]json.RawMessage `json:"message"`
		}
		var token string
		var data map[string]string // all values must be strings
		var android struct{ Priority, TTL string }
		err := json.Unmarshal(body, &in)
		for name, into := range map[string]any{"token": &token, "data": &data, "android": &android} {
			if err == nil {
				err = json.Unmarshal(in.Message[name], into)
			}
		}
		if err != nil || len(in.Message) != 3 || len(data) != 2 || android.TTL != "3600s" {
			t.Errorf("FCM message %s: %v", body, err)
		}
		payload, _ := json.Marshal(data)
		r.Header.Set("Priority", android.Priority)
		return token, payload, nil
	})
	return f
}

// login exchanges a signed assertion for a token. On success it returns a refusal with status 200.
func (f *fcmService) login(r *http.Request, body []byte) *refusal {
	r.Body = io.NopCloser(strings.NewReader(string(body)))
	claims := jwt.MapClaims{}
	key := func(*jwt.Token) (any, error) { return &f.key.PublicKey, nil }
	_, err := jwt.ParseWithClaims(r.FormValue("assertion"), claims, key, jwt.WithValidMethods([]string{"RS256"}),
		jwt.WithIssuer(fcmEmail), jwt.WithAudience(f.URL+"/token"), jwt.WithIssuedAt())
	if err != nil || claims["scope"] != fcmScope ||
		r.FormValue("grant_type") != "urn:ietf:params:oauth:grant-type:jwt-bearer" {
		return &refusal{status: 400, body: `{"error":"invalid_grant"}`}
	}
	f.logins++
	return &refusal{status: 200, body: `{"access_token":"login-` + strconv.Itoa(f.logins) +
		`","token_type":"Bearer","expires_in":3600}`}
}

// expire invalidates the current login.
func (f *fcmService) expire() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.logins++
}

// credentials writes the service account's key to a file.
func (f *fcmService) credentials() string {
	b, err := json.Marshal(map[string]string{
		"type": "service_account", "project_id": fcmProject, "client_email": fcmEmail, "token_uri": f.URL + "/token",
		"private_key_id": "1", "private_key": string(privatePEM(f.t, f.key)),
	})
	if err != nil {
		f.t.Fatal(err)
	}
	return writeFile(f.t, "fcm.json", b)
}
