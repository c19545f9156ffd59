// Package relay sends notifications to a push relay over HTTP: the server's own, another organization's, or the
// official one of the mobile app. A relay learns the server, realm and device of a notification, but nothing about its
// content.
package relay

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/adapters/outbound/guard"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/push"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

// Module is the adapter.
var Module = kit.Adapter("push", "relay", "Sends push notifications through a relay.", Defaults(),
	func(c Config, _ needs) (ports.PushService, error) { return New(c), nil })

type needs struct{ fx.In }

// Config holds the relay's address and the credentials for it.
type Config struct {
	URL      string `yaml:"url"`       // the relay's URL, such as https://push.example.com; empty: no push notifications
	ServerID string `yaml:"server_id"` // the server's ID at the relay
	// the server's key at the relay; put it into STOA_ADAPTERS_PUSH_SERVER_KEY
	ServerKey kit.Secret    `yaml:"server_key"`
	Timeout   time.Duration `yaml:"timeout"` // for one call
}

// Defaults returns the default configuration: no relay.
func Defaults() Config { return Config{Timeout: 30 * time.Second} }

// Validate checks the configuration.
func (c Config) Validate() error {
	if c.Timeout <= 0 {
		return errors.New("timeout: want a time above 0")
	}
	if c.URL == "" {
		return nil
	}
	u, err := url.Parse(c.URL)
	switch {
	case err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "":
		return errors.New("url: want the address of a push relay, such as https://push.example.com")
	case c.ServerID == "":
		return errors.New("server_id: want the ID under which the relay has registered this server")
	case c.ServerKey == "":
		return errors.New("server_key: want the key that the relay issued to this server")
	}
	return nil
}

// maxAnswer limits how much of a response is read, in bytes.
const maxAnswer = 4 << 20

// Relay is a push relay.
type Relay struct {
	config Config
	client *http.Client
	failed atomic.Pointer[error] // why the latest call failed; nil: it did not
}

// New returns the configured relay.
func New(c Config) *Relay {
	stay := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	// The pings detect connections that have died: otherwise all calls would use them and time out.
	transport := &http.Transport{
		Proxy: http.ProxyFromEnvironment, TLSHandshakeTimeout: c.Timeout, ForceAttemptHTTP2: true,
		IdleConnTimeout: time.Minute, MaxResponseHeaderBytes: guard.MaxHeader,
		HTTP2: &http.HTTP2Config{SendPingTimeout: pingAfter, PingTimeout: pingAfter},
	}
	return &Relay{config: c, client: &http.Client{
		Timeout: c.Timeout, CheckRedirect: stay, Transport: ports.TracedTransport("push relay", transport),
	}}
}

// pingAfter is how long a connection may be silent before it is checked, and how long the check may take.
const pingAfter = 15 * time.Second

// Configured implements ports.PushService.
func (r *Relay) Configured() bool { return r.config.URL != "" }

// Register implements ports.PushService.
func (r *Relay) Register(ctx context.Context, in push.ServiceRegistration) error {
	form := url.Values{
		"realm_uuid": {in.RealmUUID}, "token_id": {in.TokenID}, "encrypted_push_registration": {in.Sealed},
		"bouncer_public_key": {in.BouncerKey},
	}
	_, err := r.call(ctx, "push/e2ee/register", "application/x-www-form-urlencoded", []byte(form.Encode()))
	return err
}

// The notifications in the relay protocol.
type (
	fcmRequest struct {
		TokenID  string     `json:"token_id"`
		Priority string     `json:"fcm_priority"`
		Payload  fcmPayload `json:"payload"`
	}
	fcmPayload struct {
		KeyID string `json:"push_key_id"`
		Data  string `json:"encrypted_data"`
	}
	apnsRequest struct {
		TokenID string      `json:"token_id"`
		Headers apnsHeaders `json:"http_headers"`
		Payload apnsPayload `json:"payload"`
	}
	apnsHeaders struct {
		Priority int    `json:"apns_priority"`
		Type     string `json:"apns_push_type"`
	}
	apnsPayload struct {
		KeyID uint32 `json:"push_key_id"`
		Data  string `json:"encrypted_data"`
		APS   aps    `json:"aps"`
	}
	// webRequest and its token kind are supported only by Stoa's relay.
	webRequest struct {
		TokenID string     `json:"token_id"`
		Urgency string     `json:"web_urgency"`
		Payload fcmPayload `json:"payload"`
	}
	aps struct {
		Mutable   int       `json:"mutable-content,omitempty"`
		Available int       `json:"content-available,omitempty"`
		Alert     *apsAlert `json:"alert,omitempty"`
	}
	apsAlert struct {
		Title string `json:"title"`
	}
)

func requestOf(n push.ServiceNotification) any {
	priority, payload := "high", fcmPayload{strconv.FormatUint(uint64(n.KeyID), 10), n.Data}
	if n.Quiet {
		priority = "normal"
	}
	switch n.Kind {
	case push.FCM:
		return fcmRequest{n.TokenID, priority, payload}
	case push.Web:
		return webRequest{n.TokenID, priority, payload}
	}
	q := apnsRequest{n.TokenID, apnsHeaders{10, "alert"},
		apnsPayload{n.KeyID, n.Data, aps{Mutable: 1, Alert: &apsAlert{"New notification"}}}}
	if n.Quiet {
		q.Headers, q.Payload.APS = apnsHeaders{5, "background"}, aps{Available: 1}
	}
	return q
}

// Notify implements ports.PushService.
func (r *Relay) Notify(ctx context.Context, realmUUID string,
	all []push.ServiceNotification) (push.ServiceReport, error) {
	in := struct {
		Realm    string `json:"realm_uuid"`
		Requests []any  `json:"push_requests"`
		Repeats  bool   `json:"wants_retry_token_ids"` // supported only by Stoa's relay
	}{Realm: realmUUID, Requests: make([]any, len(all)), Repeats: true}
	for i, n := range all {
		in.Requests[i] = requestOf(n)
	}
	body, err := json.Marshal(in)
	if err != nil {
		return push.ServiceReport{}, err
	}
	answer, err := r.call(ctx, "push/e2ee/notify", "application/json", body)
	if err != nil {
		return push.ServiceReport{}, err
	}
	var got struct {
		FCM    int      `json:"android_successfully_sent_count"`
		APNs   int      `json:"apple_successfully_sent_count"`
		Web    int      `json:"web_successfully_sent_count"`
		Dead   []string `json:"delete_token_ids"`
		Later  []string `json:"retry_token_ids"`
		Status struct {
			CanPush *bool  `json:"can_push"`
			Ends    *int64 `json:"expected_end_timestamp"`
		} `json:"realm_push_status"`
	}
	if err := json.Unmarshal(answer, &got); err != nil {
		return push.ServiceReport{}, errs.New(errs.BouncerFailed,
			"The answer of the push service is not valid JSON.").Because(err)
	}
	report := push.ServiceReport{FCM: got.FCM, APNs: got.APNs, Web: got.Web, Dead: map[string]bool{},
		Later: map[string]bool{}}
	if can := got.Status.CanPush; can != nil {
		report.Standing = &push.Standing{CanPush: *can, Ends: got.Status.Ends}
	}
	for _, id := range got.Dead {
		report.Dead[id] = true
	}
	for _, id := range got.Later {
		report.Later[id] = true
	}
	return report, nil
}

// Health is the health check. The relay has nothing to ask for, so it reports how the latest call went.
func (r *Relay) Health(context.Context) error {
	if failed := r.failed.Load(); failed != nil {
		return fmt.Errorf("the push relay at %s: %w; look at the relay, or correct adapters.push", r.config.URL, *failed)
	}
	return nil
}

// call makes one call and returns the body of a successful response. Errors: the relay's error codes;
// BouncerUnreachable and BouncerFailed for temporary failures.
func (r *Relay) call(ctx context.Context, path, kind string, body []byte) ([]byte, error) {
	answer, err := r.send(ctx, path, kind, body)
	switch {
	case errs.Is(err, errs.BouncerUnreachable), errs.Is(err, errs.BouncerFailed):
		if ctx.Err() == nil {
			r.failed.Store(&err)
		}
	default:
		r.failed.Store(nil)
	}
	return answer, err
}

func (r *Relay) send(ctx context.Context, path, kind string, body []byte) ([]byte, error) {
	address := strings.TrimSuffix(r.config.URL, "/") + "/api/v1/remotes/" + path
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.SetBasicAuth(r.config.ServerID, string(r.config.ServerKey))
	req.Header.Set("Content-Type", kind)
	res, err := r.client.Do(req)
	if err != nil {
		return nil, unreachable(err)
	}
	defer func() { _ = res.Body.Close() }()
	answer, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	if err != nil {
		return nil, unreachable(err)
	}
	if res.StatusCode == http.StatusOK {
		return answer, nil
	}
	return nil, refusal(res.StatusCode, answer)
}

func unreachable(cause error) error {
	return errs.New(errs.BouncerUnreachable, "Network error while connecting to the push service.").Because(cause)
}

// refusal returns the error for an unsuccessful response.
func refusal(status int, answer []byte) error {
	var got struct {
		Code errs.Code `json:"code"`
		Msg  string    `json:"msg"`
	}
	_ = json.Unmarshal(answer, &got) // proxies may respond with HTML
	cause := fmt.Errorf("status %d, code %q: %.200q", status, got.Code, got.Msg)
	switch {
	case status == http.StatusForbidden && got.Code == "MISSING_REMOTE_REALM":
		return errs.New(errs.AdminAction, "The push service does not know this organization yet.").Because(cause)
	case status == http.StatusBadRequest:
		switch got.Code {
		case errs.InvalidBouncerKey, errs.RequestExpired, errs.BadRequest, errs.PushDisallowed:
			return errs.New(got.Code, "The push service refused the request.").Because(cause)
		}
	}
	return errs.New(errs.BouncerFailed, "The push service failed.").Because(cause)
}
