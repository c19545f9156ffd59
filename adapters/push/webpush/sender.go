package webpush

import (
	"context"
	"crypto/ecdsa"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/mail"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	webpushgo "github.com/ergochat/webpush-go/v2"

	"github.com/stoachat/stoa/adapters/outbound/guard"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/push"
	"github.com/stoachat/stoa/ports"
)

// Options restrict and configure the calls of a Sender.
type Options struct {
	Contact   string // how services can contact the operator: an email address or an https URL
	Ports     []int
	HighPorts bool     // also allow all ports from 1024
	Networks  []string // allowed non-public networks
	Proxy     string   // http://host:port; the proxy must refuse private addresses itself
	Roots     *x509.CertPool
	Timeout   time.Duration // for one request
}

// Validate checks everything that NewSender does not. Errors begin with the configuration key.
func (o Options) Validate() error {
	if slices.ContainsFunc(o.Ports, func(p int) bool { return p < 1 || p > 65535 }) {
		return errors.New("ports: want numbers from 1 to 65535")
	}
	if o.Proxy != "" && guard.ProxyAddress(o.Proxy) == "" {
		return errors.New("proxy: want http://host:port")
	}
	if _, err := guard.Networks(o.Networks); err != nil {
		return err
	}
	return nil
}

// ValidContact reports whether push services accept contact.
func ValidContact(contact string) bool {
	if u, err := url.Parse(contact); err == nil && u.Scheme == "https" && u.Host != "" {
		return true
	}
	_, err := mail.ParseAddress(contact)
	return err == nil
}

// Sender calls push services. Devices choose the URLs, so guard restricts the connections.
type Sender struct {
	guard   guard.Guard
	client  *http.Client
	contact string
}

// NewSender returns a sender.
func NewSender(o Options) (*Sender, error) {
	networks, err := guard.Networks(o.Networks)
	if err != nil {
		return nil, err
	}
	s := &Sender{guard: guard.Guard{Ports: o.Ports, High: o.HighPorts, Allowed: networks}, contact: o.Contact}
	transport, err := s.guard.Transport(o.Proxy, o.Timeout)
	if err != nil {
		return nil, fmt.Errorf("proxy: %w", err)
	}
	transport.TLSClientConfig = &tls.Config{RootCAs: o.Roots, MinVersion: tls.VersionTLS12}
	// Most subscriptions belong to a few services, so connections to checked addresses are kept for a while.
	transport.DisableKeepAlives, transport.ForceAttemptHTTP2 = false, true
	transport.MaxIdleConns, transport.MaxIdleConnsPerHost, transport.IdleConnTimeout = 64, 8, time.Minute
	// Detects connections that have died.
	transport.HTTP2 = &http.HTTP2Config{SendPingTimeout: 30 * time.Second, PingTimeout: o.Timeout}
	stay := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	s.client = &http.Client{
		Transport: ports.TracedTransport("web push", transport), CheckRedirect: stay, Timeout: o.Timeout,
	}
	return s, nil
}

// Admit refuses subscriptions with forbidden endpoints. Resolved addresses are checked when a connection is made.
// Errors: BadRequest.
func (s *Sender) Admit(to push.Subscription) error {
	if err := s.guard.Address(to.Endpoint); err != nil {
		return errs.Bad("This server does not allow the endpoint of the subscription.").Because(err)
	}
	return nil
}

// Result is the result of one attempt to deliver.
type Result struct {
	push.WebResult
	Why string // reason of failure, which never contains the endpoint
}

func refused(why string) Result { return Result{push.WebResult{Outcome: push.Refused}, why} }

const notPublic = "the address of a subscription is not public"

// maxAnswer limits how much of a response is read so that the connection can be reused, in bytes.
const maxAnswer = 64 << 10

// Send tries to deliver a notification once.
func (s *Sender) Send(ctx context.Context, keys *webpushgo.VAPIDKeys, n push.WebNotification) Result {
	if err := s.guard.Address(n.To.Endpoint); err != nil {
		return refused(notPublic)
	}
	urgency := webpushgo.UrgencyHigh
	if n.Quiet {
		urgency = webpushgo.UrgencyNormal
	}
	to := &webpushgo.Subscription{
		Endpoint: n.To.Endpoint.String(), Keys: webpushgo.Keys{Auth: n.To.Auth, P256dh: n.To.Key},
	}
	res, err := webpushgo.SendNotification(ctx, n.Payload, to, &webpushgo.Options{
		HTTPClient: s.client, Subscriber: s.contact, Topic: n.Topic, TTL: int(n.TTL.Seconds()), Urgency: urgency,
		VAPIDKeys: keys,
	})
	switch {
	case errors.As(err, new(guard.RefusedError)):
		return refused(notPublic)
	case errors.Is(err, webpushgo.ErrRecordSizeTooSmall):
		return refused("the payload is too large")
	case err != nil:
		return Result{Why: unreachable(err)}
	}
	defer func() { _ = res.Body.Close() }()
	_, _ = io.CopyN(io.Discard, res.Body, maxAnswer) // only the status matters
	why := fmt.Sprintf("status %d", res.StatusCode)
	switch {
	case res.StatusCode >= 200 && res.StatusCode < 300:
		return Result{push.WebResult{Outcome: push.Delivered}, ""}
	case res.StatusCode == http.StatusNotFound, res.StatusCode == http.StatusGone:
		return Result{push.WebResult{Outcome: push.Dead}, ""}
	case res.StatusCode == http.StatusTooManyRequests, res.StatusCode >= http.StatusInternalServerError:
		return Result{push.WebResult{Wait: retryAfter(res.Header)}, why}
	}
	return refused(why)
}

// Keys converts a VAPID key to the type that the library requires.
func Keys(key *ecdsa.PrivateKey) (*webpushgo.VAPIDKeys, error) {
	return webpushgo.ECDSAToVAPIDKeys(key)
}

// unreachable describes a request without a response. It omits the endpoint, which identifies the device.
func unreachable(err error) string {
	if at := (*url.Error)(nil); errors.As(err, &at) {
		err = at.Err
	}
	return err.Error()
}

// retryAfter parses a Retry-After header in seconds, up to a day. The services do not use dates.
func retryAfter(h http.Header) time.Duration {
	n, err := strconv.Atoi(strings.TrimSpace(h.Get("Retry-After")))
	if err != nil || n < 0 {
		return 0
	}
	return min(time.Duration(min(n, 86400))*time.Second, 24*time.Hour)
}
