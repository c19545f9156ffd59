package message

import (
	"github.com/stoachat/stoa/domain/emoji"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/user"
)

// Types of emoji, as stored.
const (
	UnicodeEmoji = "unicode_emoji"
	RealmEmoji   = "realm_emoji"
	ExtraEmoji   = "service_extra_emoji" // emoji.Extra
	extraAlias   = "zulip_extra_emoji"   // the spelling of Zulip clients
)

// ShownType returns the wire form of an emoji type; zulip selects the one for Zulip clients
// (realm.KnowsOnlyZulipNames).
func ShownType(stored string, zulip bool) string {
	if stored == ExtraEmoji && zulip {
		return extraAlias
	}
	return stored
}

// Shown returns r with the wire form of its type (ShownType).
func (r Reaction) Shown(zulip bool) Reaction {
	r.Type = ShownType(r.Type, zulip)
	return r
}

// Emojis looks up built-in emoji and those of a realm.
type Emojis interface {
	// Code returns the code of a Unicode emoji by one of its names.
	Code(name string) (string, bool)
	// Name returns the canonical name of a Unicode emoji by its code.
	Name(code string) (string, bool)
	// Custom returns the code of an active emoji of the realm by its name.
	Custom(name string) (code string, ok bool)
	// ByCode returns the name of an emoji of the realm, and whether it is active.
	ByCode(code string) (name string, active, ok bool)
}

// longestEmoji is the maximum length of names and codes of emoji in bytes.
const longestEmoji = 200

// ResolveReaction identifies the emoji of a reaction from its name and, if given, its code and type. A realm's emoji
// takes precedence over a built-in one of the same name. Either spelling of the extra emoji's type is accepted. Errors:
// BadRequest.
func ResolveReaction(all Emojis, name, code, kind string) (Reaction, error) {
	if kind == extraAlias {
		kind = ExtraEmoji
	}
	r := Reaction{Name: name, Code: code, Type: kind}
	switch {
	case name == "" && code == "":
		return r, errs.Bad("At least one of the following arguments must be present: emoji_name, emoji_code")
	case len(name) > longestEmoji:
		return r, errs.Bad("Invalid emoji name.")
	case len(code) > longestEmoji:
		return r, errs.Bad("Invalid emoji code.")
	}
	if code != "" && kind != "" || name == "" {
		if kind == "" {
			r.Type = UnicodeEmoji
		}
		return r, nil
	}
	found := Reaction{Name: name}
	if custom, ok := all.Custom(name); ok {
		found.Type, found.Code = RealmEmoji, custom
	} else if name == emoji.Extra {
		found.Type, found.Code = ExtraEmoji, emoji.Extra
	} else if unicode, ok := all.Code(name); ok {
		found.Type, found.Code = UnicodeEmoji, unicode
	} else {
		return r, errs.Bad("Emoji '%s' does not exist", name)
	}
	if code != "" {
		found.Code = code
	}
	if kind != "" {
		found.Type = kind
	}
	return found, nil
}

// CheckReaction refuses emoji that do not exist, or have another name. Errors: BadRequest.
func CheckReaction(all Emojis, r Reaction) error {
	switch r.Type {
	case UnicodeEmoji:
		if _, ok := all.Name(r.Code); !ok {
			return errs.Bad("Invalid emoji code.")
		}
		if code, ok := all.Code(r.Name); !ok || code != r.Code {
			return errs.Bad("Invalid emoji name.")
		}
	case RealmEmoji:
		name, active, ok := all.ByCode(r.Code)
		switch {
		case !ok:
			return errs.Bad("Invalid custom emoji.")
		case name != r.Name:
			return errs.Bad("Invalid custom emoji name.")
		case !active:
			return errs.Bad("This custom emoji has been deactivated.")
		}
	case ExtraEmoji:
		switch {
		case r.Code != emoji.Extra:
			return errs.Bad("Invalid emoji code.")
		case r.Name != emoji.Extra:
			return errs.Bad("Invalid emoji name.")
		}
	default:
		return errs.Bad("Invalid emoji type.")
	}
	return nil
}

// Limits on reactions to one message, all of which are part of every response with the message.
const (
	MaxReactions = 5000 // by all users
	MaxEmoji     = 50   // different ones
	MaxOwnEmoji  = 10   // different ones that one user and the user's bots were the first to react with
)

// CheckReactionLimits refuses a reaction to a message whose current reactions, oldest first, have reached a limit. The
// limits on different emoji do not apply to emoji that are already there. responsible returns the user to whose limit a
// reaction counts. Errors: BadRequest.
func CheckReactionLimits(now []Reaction, r Reaction, responsible func(user.ID) user.ID) error {
	if len(now) >= MaxReactions {
		return errs.Bad("A message can have at most %d reactions.", MaxReactions)
	}
	type kindAndCode struct{ kind, code string }
	me, own, different := responsible(r.User), 0, map[kindAndCode]bool{}
	for _, o := range now {
		if key := (kindAndCode{o.Type, o.Code}); !different[key] {
			different[key] = true
			if responsible(o.User) == me {
				own++
			}
		}
	}
	switch {
	case different[kindAndCode{r.Type, r.Code}]:
		return nil
	case len(different) >= MaxEmoji:
		return errs.Bad("A message can have reactions with at most %d different emoji.", MaxEmoji)
	case own >= MaxOwnEmoji:
		return errs.Bad("You can add at most %d different emoji to a message. You can still react with those of others.",
			MaxOwnEmoji)
	}
	return nil
}

// Same reports whether two reactions have the same emoji, by any user.
func (r Reaction) Same(o Reaction) bool { return r.Type == o.Type && r.Code == o.Code }
