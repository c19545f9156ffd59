package markdown

import (
	"crypto/hmac"
	"crypto/sha1" //nolint:gosec // what image proxies expect; an HMAC does not need collision resistance
	"encoding/hex"
	"errors"
	"strings"

	"github.com/stoachat/stoa/domain/markdown"
	"github.com/stoachat/stoa/modules/kit"
)

// Config configures the rendering of messages.
type Config struct {
	ImageProxy ImageProxy `yaml:"image_proxy"`
}

// ImageProxy fetches external images, so that their servers do not learn who reads a message.
type ImageProxy struct {
	URL string     `yaml:"url"` // base URL of a camo proxy; empty: images are loaded from their origin
	Key kit.Secret `yaml:"key"` // secret shared with the proxy
}

// Validate checks the configuration.
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

// proxied returns the proxy's URL for an image: URL/<HMAC-SHA1 of the address>/<address>, both in hex.
func (e *engine) proxied(address string) string {
	if e.config.ImageProxy.URL == "" {
		return address
	}
	h := hmac.New(sha1.New, []byte(e.config.ImageProxy.Key))
	_, _ = h.Write([]byte(address))
	return strings.TrimSuffix(e.config.ImageProxy.URL, "/") + "/" + hex.EncodeToString(h.Sum(nil)) + "/" +
		hex.EncodeToString([]byte(address))
}
