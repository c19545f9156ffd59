package channel

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/quota"
	"github.com/stoachat/stoa/domain/user"
)

// BundleID identifies a default channel group.
type BundleID int64

// Bundle is a default channel group: channels that new users can subscribe to together.
type Bundle struct {
	ID          BundleID `json:"id"`
	Name        string   `json:"name"`
	Description string   `json:"description"`
	Channels    Set      `json:"streams"`
}

// Limits on default channel groups.
const (
	MaxBundleName        = 60 // characters
	MaxBundleDescription = 1024
	MaxBundles           = 500
)

// CheckBundleName validates a group's name and returns its stored form. Errors: BadRequest.
func CheckBundleName(sent string) (string, error) {
	name := strings.TrimSpace(sent)
	switch {
	case name == "":
		return "", errs.Bad("Invalid default channel group name '%s'", name)
	case utf8.RuneCountInString(name) > MaxBundleName:
		return "", errs.Bad("Default channel group name too long (limit: %d characters)", MaxBundleName)
	}
	if pos := user.FirstInvisible(name); pos > 0 {
		return "", errs.Bad("Invalid character in default channel group name, at position %d.", pos)
	}
	if !strings.ContainsFunc(name, user.IsVisible) {
		return "", errs.Bad("Invalid default channel group name '%s'", name)
	}
	return name, nil
}

// CheckBundleDescription validates a group's description and returns its stored form. Errors: BadRequest.
func CheckBundleDescription(text string) (string, error) {
	switch {
	case utf8.RuneCountInString(text) > MaxBundleDescription:
		return "", errs.Bad("description is too long (limit: %d characters)", MaxBundleDescription)
	case !utf8.ValidString(text) || strings.ContainsRune(text, 0):
		return "", errs.Bad("Invalid character in default channel group description.")
	}
	return text, nil
}

// CheckBundles checks that b's name is unique. key is directory.View.NameKey. An element of all with the ID of b is its
// previous version, whose name b may keep. Errors: BadRequest.
func CheckBundles(all []Bundle, b *Bundle, key func(string) string) error {
	kept := slices.ContainsFunc(all, func(o Bundle) bool { return o.ID == b.ID && o.Name == b.Name })
	if nameKey := key(b.Name); !kept &&
		slices.ContainsFunc(all, func(o Bundle) bool { return o.ID != b.ID && key(o.Name) == nameKey }) {
		return errs.Bad("Default channel group '%s' already exists", b.Name)
	}
	return nil
}

// AdmitBundle checks that a user with role r can create a group in addition to n existing ones. Errors: BadRequest.
func AdmitBundle(n int, r user.Role) error {
	return quota.Limit{What: "default channel groups", Total: MaxBundles}.Admit(r, quota.Count{All: n}, 1)
}

// CheckBundled checks that a channel can be in a default channel group. It must be public, and not a default channel,
// to which new users are subscribed anyway. Errors: BadRequest.
func CheckBundled(c *Channel) error {
	switch {
	case c.Default:
		return errs.Bad("'%s' is a default channel and cannot be added to a default channel group", c.Name)
	case c.Private:
		return errs.Bad("Private channels cannot be made default.")
	}
	return nil
}

// Add adds a channel to the group. Errors: BadRequest.
func (b *Bundle) Add(c *Channel) error {
	if err := CheckBundled(c); err != nil {
		return err
	}
	if b.Channels.Has(c.ID) {
		return errs.Bad("Channel '%s' is already present in default channel group '%s'", c.Name, b.Name)
	}
	b.Channels = b.Channels.Union(Set{c.ID})
	return nil
}

// Remove removes a channel from the group. Errors: BadRequest.
func (b *Bundle) Remove(c *Channel) error {
	if !b.Channels.Has(c.ID) {
		return errs.Bad("Channel '%s' is not present in default channel group '%s'", c.Name, b.Name)
	}
	b.Channels = b.Channels.Minus(Set{c.ID})
	return nil
}
