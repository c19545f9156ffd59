package crash_test

import (
	"bytes"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	mathrand "math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/nacl/box"

	"github.com/stoachat/stoa/app/kittest/testrun"
	"github.com/stoachat/stoa/app/proof/internal/harness"
	"github.com/stoachat/stoa/domain/push"
)

// phone is a device that a relay reaches through FCM, and a fake of that service, which fails repeatedly.
type phone struct {
	*flakyRelay
	*httptest.Server
}

const phoneToken = "token-of-the-phone"

func newPhone(t *testing.T) *phone {
	p := &phone{flakyRelay: &flakyRelay{t: t, shown: map[int64]map[string]bool{}, removed: map[int64]bool{}}}
	_, _ = rand.Read(p.key[:])
	mux := http.NewServeMux()
	mux.HandleFunc("POST /token", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"access_token":"login","token_type":"Bearer","expires_in":3600}`)
	})
	mux.HandleFunc("POST /v1/projects/stoa/messages:send", func(w http.ResponseWriter, req *http.Request) {
		var in struct {
			Message struct {
				Token string            `json:"token"`
				Data  map[string]string `json:"data"`
			} `json:"message"`
		}
		err := json.NewDecoder(req.Body).Decode(&in)
		p.mu.Lock()
		defer p.mu.Unlock()
		if err != nil || p.lost && mathrand.IntN(6) == 0 {
			panic(http.ErrAbortHandler)
		}
		if in.Message.Token != phoneToken {
			t.Errorf("the token is %q", in.Message.Token)
		}
		p.show(in.Message.Data["encrypted_data"])
		if p.lost && mathrand.IntN(6) == 0 {
			panic(http.ErrAbortHandler)
		}
		_, _ = io.WriteString(w, `{"name":"projects/stoa/messages/1"}`)
	})
	p.Server = httptest.NewUnstartedServer(mux)
	p.Config.ErrorLog = log.New(io.Discard, "", 0) // lost connections are expected
	p.StartTLS()
	t.Cleanup(p.Close)
	return p
}

// credentials writes the key of a service account to a file, and returns its path.
func (p *phone) credentials() string {
	p.t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		p.t.Fatal(err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		p.t.Fatal(err)
	}
	b, err := json.Marshal(map[string]string{
		"type": "service_account", "project_id": "stoa", "client_email": "push@example.com", "private_key_id": "1",
		"token_uri":   p.URL + "/token",
		"private_key": string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})),
	})
	if err != nil {
		p.t.Fatal(err)
	}
	path := filepath.Join(p.t.TempDir(), "fcm.json")
	if err := os.WriteFile(path, b, 0o600); err != nil {
		p.t.Fatal(err)
	}
	return path
}

func (p *phone) lose(lost bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.lost = lost
}

// relayFor returns a relay that can reach a phone, the relay's public key, and the environment of a server that uses
// it.
func relayFor(t *testing.T, p *phone) (relay *harness.Server, public string, env []string) {
	relay = harness.NewServer(t)
	ca := filepath.Join(t.TempDir(), "ca.pem")
	block := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: p.Certificate().Raw})
	if err := os.WriteFile(ca, block, 0o600); err != nil {
		t.Fatal(err)
	}
	config := filepath.Join(t.TempDir(), "relay.yaml")
	text := fmt.Sprintf(`modules: {realm: {}, accounts: {}, pushrelay: {}}
adapters: {delivery: {use: direct, ca_file: %q, retry_for: 1s, fcm: {credentials_file: %q, url: %q}}}
`, ca, p.credentials(), p.URL)
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	others := func(e string) bool { return strings.HasPrefix(e, "STOA_MODULES_") } // modules that a relay does not run
	relay.Env = append(slices.DeleteFunc(relay.Env, others), "STOA_CONFIG="+config)
	relay.Run("migrate", "up")
	public = strings.Fields(string(relay.Run("push", "keys", "create")))[2]
	var id struct {
		ID  string `json:"server_id"`
		Key string `json:"server_key"`
	}
	if err := json.Unmarshal(relay.Run("push", "server", "add", "--json", "chat"), &id); err != nil {
		t.Fatal(err)
	}
	return relay, public, []string{
		"STOA_ADAPTERS_PUSH_USE=relay", "STOA_ADAPTERS_PUSH_URL=" + relay.URL, "STOA_ADAPTERS_PUSH_SERVER_ID=" + id.ID,
		"STOA_ADAPTERS_PUSH_SERVER_KEY=" + id.Key,
	}
}

// register registers the phone for the owner of s.
func (p *phone) register(s *harness.Server, public string) {
	s.T.Helper()
	plain, _ := json.Marshal(map[string]any{
		"token": phoneToken, "token_kind": "fcm", "timestamp": time.Now().Unix(),
	})
	raw, err := base64.StdEncoding.DecodeString(public)
	if err != nil || len(raw) != 32 {
		s.T.Fatalf("the relay's key is %q", public)
	}
	sealed, err := box.SealAnonymous(nil, plain, (*[32]byte)(raw), rand.Reader)
	if err != nil {
		s.T.Fatal(err)
	}
	id := push.TokenID(phoneToken)
	s.Must("POST", "/mobile_push/register", url.Values{
		"device_id":   {fmt.Sprint(s.Must("POST", "/register_client_device", nil)["device_id"])},
		"push_key_id": {"1"}, "push_key": {base64.StdEncoding.EncodeToString(append([]byte{0x31}, p.key[:]...))},
		"token_kind": {"fcm"}, "token_id": {id}, "bouncer_public_key": {public},
		"encrypted_push_registration": {base64.StdEncoding.EncodeToString(sealed)},
	})
	awaitDevice(s, id)
}

// TestRelayAcrossKills kills a server and its relay, two processes, at random points, while the push service fails now
// and then. In the end, the phone must show each unread message once, and no message that was read. Nothing that the
// relay has stored or logged may contain a user's name, a topic or a text.
func TestRelayAcrossKills(t *testing.T) {
	messages, kills := 1000, 25
	if !testrun.Long() {
		messages, kills = 60, 3
	}
	p := newPhone(t)
	relay, public, env := relayFor(t, p)
	relay.Start()
	s := harness.NewServer(t)
	s.Env = append(s.Env, env...)
	s.Run("user", "create", "--email", "other@example.com", "--name", "Heraclitus", "--role", "member",
		"--password-stdin", "--json")
	s.Start()
	got := s.Must("POST", "/fetch_api_key", url.Values{
		"username": {"other@example.com"}, "password": {"correct-horse-battery"},
	})
	other := s.As("other@example.com", got["api_key"].(string))
	p.register(s, public)

	me := fmt.Sprint(s.Must("GET", "/users/me", nil)["user_id"])
	var unread, read []int64
	var logs strings.Builder
	p.lose(true)
	for i := range messages {
		id := harness.Int(other.Must("POST", "/messages", url.Values{
			"type": {"direct"}, "to": {"[" + me + "]"}, "content": {fmt.Sprint("everything flows ", i)},
		})["id"])
		if i%3 == 0 {
			s.Must("POST", "/messages/flags", url.Values{
				"op": {"add"}, "flag": {"read"}, "messages": {fmt.Sprintf("[%d]", id)},
			})
			read = append(read, id)
		} else {
			unread = append(unread, id)
		}
		if i%(messages/kills) != 0 {
			continue
		}
		time.Sleep(time.Duration(mathrand.IntN(1200)) * time.Millisecond) // a random point during deciding and sending
		if mathrand.IntN(3) > 0 {
			relay.Kill()
			logs.WriteString(relay.Log.String())
		}
		if mathrand.IntN(3) > 0 {
			s.Kill()
			s.Start()
		}
		if relay.Cmd == nil {
			relay.Start()
		}
	}
	p.lose(false)
	why := &strings.Builder{}
	testrun.Await(t, "end of the notifications", func() bool {
		why.Reset()
		why.WriteString(p.settled(unread, read))
		return why.Len() == 0
	}, why, s.Log, relay.Log)
	p.checkRepeats()
	relay.Kill()
	logs.WriteString(relay.Log.String())
	holdsNothing(relay, logs.String(), "everything flows", "Heraclitus", "other@example.com", "/phone")
}

// holdsNothing checks that neither a server's log nor its files contain any of the texts.
func holdsNothing(s *harness.Server, log string, texts ...string) {
	s.T.Helper()
	seen := map[string][]byte{"the log": []byte(log)}
	for _, e := range s.Env {
		if dir, ok := strings.CutPrefix(e, "STOA_DATA_DIR="); ok {
			files, err := filepath.Glob(filepath.Join(dir, "*"))
			if err != nil || len(files) == 0 {
				s.T.Fatalf("%s is empty: %v", dir, err)
			}
			for _, f := range files {
				if b, err := os.ReadFile(f); err == nil { // not a folder
					seen[filepath.Base(f)] = b
				}
			}
		}
	}
	for name, b := range seen {
		for _, text := range texts {
			if bytes.Contains(b, []byte(text)) {
				s.T.Errorf("%s holds %q", name, text)
			}
		}
	}
}
