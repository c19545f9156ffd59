package delivery

import (
	"bytes"
	"context"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"sync"
	"time"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/jwt"

	"github.com/stoachat/stoa/domain/push"
	"github.com/stoachat/stoa/domain/relay"
)

// fcm delivers through Firebase Cloud Messaging, HTTP v1.
type fcm struct {
	address string
	client  *http.Client
	login   *jwt.Config
	context context.Context // carries the HTTP client for logging in; tokens outlive requests

	mu     sync.Mutex
	source oauth2.TokenSource
	probed time.Time // start of probe
	probe  *probe
}

// probe is a login to verify the credentials.
type probe struct {
	done chan struct{}
	err  error // valid once done is closed
}

// probeAgain is how long a probe's result is reused.
const probeAgain = time.Minute

// scope is the OAuth scope of the service account's tokens.
const scope = "https://www.googleapis.com/auth/firebase.messaging"

// maxFCMAnswer limits how much of a response is read, in bytes.
const maxFCMAnswer = 64 << 10

func newFCM(c FCM, client *http.Client) (*fcm, error) {
	b, err := os.ReadFile(c.CredentialsFile)
	if err != nil {
		return nil, err
	}
	var account struct {
		Type     string `json:"type"`
		Project  string `json:"project_id"`
		KeyID    string `json:"private_key_id"`
		Key      string `json:"private_key"`
		Email    string `json:"client_email"`
		TokenURI string `json:"token_uri"`
	}
	if err := json.Unmarshal(b, &account); err != nil {
		return nil, errors.New("is not the JSON of a service account")
	}
	if account.Type != "service_account" || account.Project == "" || account.Email == "" {
		return nil, errors.New("is not the key of a service account: type, project_id or client_email are missing")
	}
	if u, err := url.Parse(account.TokenURI); err != nil || u.Scheme != "https" || u.Host == "" {
		return nil, errors.New("its token_uri is not an https address")
	}
	block, _ := pem.Decode([]byte(account.Key))
	if block == nil {
		return nil, errors.New("its private_key is not PEM")
	}
	if _, err := x509.ParsePKCS8PrivateKey(block.Bytes); err != nil {
		return nil, errors.New("its private_key cannot be read")
	}
	f := &fcm{
		address: c.URL + "/v1/projects/" + url.PathEscape(account.Project) + "/messages:send", client: client,
		login: &jwt.Config{
			Email: account.Email, PrivateKey: []byte(account.Key), PrivateKeyID: account.KeyID, Scopes: []string{scope},
			TokenURL: account.TokenURI,
		},
		context: context.WithValue(context.Background(), oauth2.HTTPClient, client),
	}
	f.source = f.login.TokenSource(f.context)
	return f, nil
}

func (f *fcm) tokens() oauth2.TokenSource {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.source
}

// forget makes the next request log in again, unless another goroutine has already done so.
func (f *fcm) forget(used oauth2.TokenSource) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.source == used {
		f.source = f.login.TokenSource(f.context)
	}
}

// check verifies the login unless that happened recently. Logins cannot be interrupted, so they continue when ctx ends.
func (f *fcm) check(ctx context.Context, now time.Time) error {
	p := f.probing(now)
	select {
	case <-p.done:
		return p.err
	case <-ctx.Done():
		return errors.New("the login service did not respond in time")
	}
}

func (f *fcm) probing(now time.Time) *probe {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.probe != nil && now.Sub(f.probed) < probeAgain {
		return f.probe
	}
	p, source := &probe{done: make(chan struct{})}, f.source
	f.probe, f.probed = p, now
	go func() {
		defer close(p.done)
		_, err := source.Token()
		p.err = loginError(err)
	}()
	return p
}

// loginError keeps only the response's status, since the body may repeat the request.
func loginError(err error) error {
	var refused *oauth2.RetrieveError
	if errors.As(err, &refused) {
		return fmt.Errorf("the login service responded with status %d", refused.Response.StatusCode)
	}
	return err
}

type (
	fcmCall struct {
		Message fcmMessage `json:"message"`
	}
	fcmMessage struct {
		Token   string            `json:"token"`
		Data    map[string]string `json:"data"`
		Android fcmAndroid        `json:"android"`
	}
	fcmAndroid struct {
		Priority string `json:"priority"`
		TTL      string `json:"ttl"`
	}
)

func (f *fcm) send(ctx context.Context, d relay.Delivery, ttl time.Duration) result {
	priority := "NORMAL"
	if d.Urgent {
		priority = "HIGH"
	}
	body, err := json.Marshal(fcmCall{fcmMessage{
		d.Token, map[string]string{"push_key_id": strconv.FormatUint(uint64(d.KeyID), 10), "encrypted_data": d.Data},
		fcmAndroid{priority, strconv.Itoa(int(ttl.Seconds())) + "s"},
	}})
	if err != nil {
		return result{outcome: push.Refused, reason: err.Error()}
	}
	source := f.tokens()
	r, status := f.post(ctx, source, body)
	if status == http.StatusUnauthorized {
		f.forget(source)
		r, _ = f.post(ctx, f.tokens(), body)
	}
	return r
}

// post sends a request and returns its result and HTTP status, which is 0 without a response.
func (f *fcm) post(ctx context.Context, source oauth2.TokenSource, body []byte) (result, int) {
	login, err := source.Token()
	if err != nil {
		return unreachable(loginError(err)), 0
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, f.address, bytes.NewReader(body))
	if err != nil {
		return unreachable(err), 0
	}
	login.SetAuthHeader(req)
	req.Header.Set("Content-Type", "application/json")
	res, err := f.client.Do(req)
	if err != nil {
		return unreachable(err), 0
	}
	defer func() { _ = res.Body.Close() }()
	answer, err := io.ReadAll(io.LimitReader(res.Body, maxFCMAnswer))
	if err != nil {
		return unreachable(err), 0
	}
	if res.StatusCode == http.StatusOK {
		return delivered, res.StatusCode
	}
	return refusal(res, answer), res.StatusCode
}

// refusal returns the result for an unsuccessful response.
func refusal(res *http.Response, answer []byte) result {
	var got struct {
		Error struct {
			Details []struct {
				Code       string `json:"errorCode"`
				Violations []struct {
					Field string `json:"field"`
				} `json:"fieldViolations"`
			} `json:"details"`
		} `json:"error"`
	}
	_ = json.Unmarshal(answer, &got) // proxies may respond with HTML
	code := ""
	for _, d := range got.Error.Details {
		if d.Code != "" {
			code = d.Code
		}
		for _, v := range d.Violations {
			if v.Field == "message.token" {
				return result{outcome: push.Dead}
			}
		}
	}
	why := fmt.Sprintf("status %d, %.60q", res.StatusCode, code)
	switch {
	case code == "UNREGISTERED", code == "SENDER_ID_MISMATCH":
		return result{outcome: push.Dead}
	case res.StatusCode == http.StatusBadRequest:
		return result{outcome: push.Refused, reason: why}
	}
	if res.StatusCode == http.StatusTooManyRequests || res.StatusCode >= http.StatusInternalServerError {
		return result{reason: why, wait: retryAfter(res.Header)}
	}
	return result{reason: why, wait: repairDelay}
}
