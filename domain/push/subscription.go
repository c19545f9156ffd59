package push

import (
	"crypto/ecdh"
	"encoding/base64"
	"encoding/json"
	"net/url"
	"strings"

	"github.com/stoachat/stoa/domain/errs"
)

// Subscription is a Web Push subscription of a browser or of a UnifiedPush distributor.
type Subscription struct {
	Endpoint *url.URL
	Key      *ecdh.PublicKey // of the device
	Auth     [16]byte        // the device's authentication secret
}

// Maximum lengths of a subscription and of its endpoint in bytes.
const (
	maxSubscription = 4096
	maxEndpoint     = 2048
)

// UnmarshalJSON implements json.Unmarshaler. Errors: BadRequest.
func (s *Subscription) UnmarshalJSON(b []byte) error {
	read, err := ReadSubscription(string(b))
	*s = read
	return err
}

// String returns the subscription in the browsers' JSON form.
func (s *Subscription) String() string {
	text, _ := json.Marshal(map[string]any{"endpoint": s.Endpoint.String(), "keys": map[string]string{ // never fails
		"p256dh": base64.RawURLEncoding.EncodeToString(s.Key.Bytes()),
		"auth":   base64.RawURLEncoding.EncodeToString(s.Auth[:]),
	}})
	return string(text)
}

// Equal reports whether s and other are the same subscription, with the same keys.
func (s *Subscription) Equal(other *Subscription) bool {
	return s.Endpoint.String() == other.Endpoint.String() && s.Key.Equal(other.Key) && s.Auth == other.Auth
}

// ReadSubscription reads a subscription. Errors: BadRequest.
func ReadSubscription(text string) (Subscription, error) {
	var in struct {
		Endpoint string `json:"endpoint"`
		Keys     struct {
			P256dh string `json:"p256dh"`
			Auth   string `json:"auth"`
		} `json:"keys"`
	}
	var out Subscription
	bad := errs.Bad("Invalid Web Push subscription")
	if len(text) > maxSubscription {
		return out, bad
	}
	if err := json.Unmarshal([]byte(text), &in); err != nil || len(in.Endpoint) > maxEndpoint {
		return out, bad
	}
	var err error
	out.Endpoint, err = url.Parse(in.Endpoint)
	if err != nil || out.Endpoint.Scheme != "https" || out.Endpoint.Host == "" || out.Endpoint.User != nil {
		return out, errs.Bad("The endpoint of a Web Push subscription must be an https URL.")
	}
	auth, err := readBase64(in.Keys.Auth)
	if err != nil || len(auth) != len(out.Auth) {
		return out, bad
	}
	copy(out.Auth[:], auth)
	point, err := readBase64(in.Keys.P256dh)
	if err != nil {
		return out, bad
	}
	if out.Key, err = ecdh.P256().NewPublicKey(point); err != nil {
		return out, bad
	}
	return out, nil
}

// readBase64 decodes either alphabet, with or without padding, as clients differ.
func readBase64(text string) ([]byte, error) {
	text = strings.NewReplacer("+", "-", "/", "_").Replace(strings.TrimRight(text, "="))
	return base64.RawURLEncoding.DecodeString(text)
}
