package user

import (
	"crypto/md5" //nolint:gosec // the hash that the avatar service asks for, no secret in it
	"encoding/hex"
	"strconv"
	"strings"

	"github.com/stoachat/stoa/domain/picture"
)

// APIEmail is the address by which clients know u: the real one if everybody may see it, else one made up under the
// realm's mail domain. Bots hide nothing.
func (u *User) APIEmail(domain string) string {
	if u.IsBot() || u.Settings.EmailAddressVisibility == EveryoneSees {
		return u.DeliveryEmail
	}
	return "user" + strconv.FormatInt(int64(u.ID), 10) + "@" + domain
}

// FromAPIEmail reads the made-up form of an API e-mail; false if it is not one of that domain.
func FromAPIEmail(email, domain string) (ID, bool) {
	rest, ok := strings.CutPrefix(EmailKey(email), "user")
	digits, host, at := strings.Cut(rest, "@")
	if !ok || !at || host != strings.ToLower(domain) {
		return 0, false
	}
	id, err := strconv.ParseInt(digits, 10, 64)
	return ID(id), err == nil && id > 0
}

// AvatarURL is where u's picture is, 500 pixels wide if medium: a whole address, or one from the server's root. A
// computed one is made from the API e-mail, so that the picture of somebody who hides the address tells nothing of it.
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

// ComputesAvatar tells whether any client that asked for it (client_gravatar) can find u's picture by itself, from the
// address that everybody sees. avatar_url is then null for such clients.
func (u *User) ComputesAvatar() bool {
	return u.AvatarSource == Gravatar && (u.IsBot() || u.Settings.EmailAddressVisibility == EveryoneSees)
}

// The sources of avatars.
const (
	Gravatar  = "G"
	Uploaded  = "U"
	Generated = "J"
)
