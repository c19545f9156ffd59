package user

import (
	"crypto/md5" //nolint:gosec // the hash that the avatar service asks for, no secret in it
	"encoding/hex"
	"strconv"
	"strings"

	"github.com/stoachat/stoa/domain/picture"
)

// APIEmail returns u's address in the API: the real one if everyone can see it, otherwise one generated in the realm's
// mail domain. Addresses of bots are never hidden.
func (u *User) APIEmail(domain string) string {
	if u.IsBot() || u.Settings.EmailAddressVisibility == EveryoneSees {
		return u.DeliveryEmail
	}
	return "user" + strconv.FormatInt(int64(u.ID), 10) + "@" + domain
}

// FromAPIEmail parses a generated API email; ok is false if it is not one of the domain.
func FromAPIEmail(email, domain string) (ID, bool) {
	rest, ok := strings.CutPrefix(EmailKey(email), "user")
	digits, host, at := strings.Cut(rest, "@")
	if !ok || !at || host != strings.ToLower(domain) {
		return 0, false
	}
	id, err := strconv.ParseInt(digits, 10, 64)
	return ID(id), err == nil && id > 0
}

// AvatarURL returns the URL of u's avatar, 500 pixels wide if medium: absolute, or relative to the server's root.
// Gravatar URLs are made from the API email, so that they reveal nothing about a hidden address.
func (u *User) AvatarURL(domain string, medium bool) string {
	version := "version=" + strconv.Itoa(u.AvatarVersion)
	own := ""
	switch u.AvatarSource {
	case Uploaded:
		own = u.Avatar
	case Generated:
		own = picture.Generated("avatar of " + strconv.FormatInt(int64(u.ID), 10) + "@" + domain)
	}
	if own != "" {
		if medium {
			own = picture.Medium(own)
		}
		return own + "?" + version
	}
	sum := md5.Sum([]byte(EmailKey(u.APIEmail(domain)))) //nolint:gosec // see the import
	url := "https://secure.gravatar.com/avatar/" + hex.EncodeToString(sum[:]) + "?d=identicon&" + version
	if medium {
		url += "&s=500"
	}
	return url
}

// ComputesAvatar reports whether clients with client_gravatar can compute u's avatar from the visible address; they
// receive null as avatar_url.
func (u *User) ComputesAvatar() bool {
	return u.AvatarSource == Gravatar && (u.IsBot() || u.Settings.EmailAddressVisibility == EveryoneSees)
}

// Sources of avatars.
const (
	Gravatar  = "G"
	Uploaded  = "U"
	Generated = "J"
)
