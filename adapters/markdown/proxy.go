package markdown

import (
	"crypto/hmac"
	"crypto/sha1" //nolint:gosec // what image proxies expect; an HMAC does not need collision resistance
	"encoding/hex"
	"errors"
	"strings"

	"github.com/stoachat/stoa/domain/markdown"
)

// Config says how messages are rendered.
type Config struct {
	ImageProxy ImageProxy `yaml:"image_proxy"`
}

// ImageProxy fetches pictures of strangers for the readers, who so stay unknown to them.
type ImageProxy struct {
	URL string `yaml:"url"` // base address of a camo proxy; empty: pictures come from where they are
	Key string `yaml:"key"` // secret shared with it
}

// Validate checks what the decoder can't.
func (c Config) Validate() error {
	switch {
	case c.ImageProxy.URL == "" && c.ImageProxy.Key == "":
		return nil
	case markdown.Site(c.ImageProxy.URL) == "":
		return errors.New("image_proxy.url: want an address that begins with https:// or http://")
	case c.ImageProxy.Key == "":
		return errors.New("image_proxy.key: is empty; give the secret that the proxy checks addresses with")
	}
	return nil
}

// proxied gives the address from which readers get a picture: URL/<HMAC-SHA1 of the address>/<the address>, both in
// hex.
func (e *engine) proxied(address string) string {
	if e.config.ImageProxy.URL == "" {
		return address
	}
	h := hmac.New(sha1.New, []byte(e.config.ImageProxy.Key))
	_, _ = h.Write([]byte(address))
	return strings.TrimSuffix(e.config.ImageProxy.URL, "/") + "/" + hex.EncodeToString(h.Sum(nil)) + "/" + hex.EncodeToString([]byte(address))
}
