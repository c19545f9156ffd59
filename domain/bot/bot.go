// Package bot describes the properties that bots have besides their accounts: default channels, the endpoints of
// outgoing webhooks, configuration and storage.
package bot

import (
	"strings"
	"unicode/utf8"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/user"
)

// Bot holds a bot's default channels. It belongs to the shared facts, so it changes only by a directory.Change. Bots
// without defaults have no Bot.
type Bot struct {
	ID user.ID `json:"id"`
	// default_sending_stream: the channel for messages sent without one; 0: none
	Sends channel.ID `json:"sends,omitempty"`
	// default_events_register_stream: the narrow of event queues registered without one; 0: none
	Listens   channel.ID `json:"listens,omitempty"`
	AllPublic bool       `json:"all_public,omitempty"` // default_all_public_streams: for event queues
}

// Email returns the address of a bot with the given short name. Errors: BadRequest.
func Email(short, domain string) (string, error) {
	short = strings.TrimSpace(short)
	if short == "" || strings.Contains(short, "@") {
		return "", errs.Bad("Bad name or username")
	}
	email, err := user.CheckEmail(short + "-bot@" + domain)
	if err != nil {
		return "", errs.Bad("Bad name or username")
	}
	return email, nil
}

// CheckType refuses bot types that users can't create, and embedded bots, which this server lacks. Errors: BadRequest.
func CheckType(t user.BotType) error {
	switch t {
	case user.GenericBot, user.IncomingWebhook, user.OutgoingWebhook:
		return nil
	case user.EmbeddedBot:
		return errs.Bad("This server has no embedded bots.")
	}
	return errs.Bad("Invalid bot type")
}

// ConfigOf is a query for the configuration of a bot, which its owner sets. The result is a map[string]string.
type ConfigOf struct{ Bot user.ID }

// MaxConfig is the maximum length of a bot's configuration: the total of all keys and values, in characters.
const MaxConfig = 10_000

// CheckConfig refuses configurations that are too large. Errors: BadRequest.
func CheckConfig(c map[string]string) error {
	if Chars(c) > MaxConfig {
		return errs.Bad("The configuration of a bot may have at most %d characters.", MaxConfig)
	}
	return storable(c)
}

// MaxStorage is the default maximum length of a bot's storage: the total of all keys and values, in characters.
const MaxStorage = 10_000_000

// CheckEntries refuses entries that could not be stored even in empty storage. Errors: BadRequest.
func CheckEntries(entries map[string]string, limit int) error {
	if err := CheckStored(Chars(entries), limit); err != nil {
		return err
	}
	return storable(entries)
}

// CheckStored refuses storage of more than limit characters. Errors: BadRequest.
func CheckStored(chars, limit int) error {
	if chars > limit {
		return errs.Bad("A bot may store at most %d characters.", limit)
	}
	return nil
}

// storable refuses NUL, which PostgreSQL can't store in text columns.
func storable(entries map[string]string) error {
	for k, v := range entries {
		if strings.ContainsRune(k, 0) || strings.ContainsRune(v, 0) {
			return errs.Bad("The character NUL can't be stored.")
		}
	}
	return nil
}

// Chars counts the characters of keys and values.
func Chars(entries map[string]string) int {
	n := 0
	for k, v := range entries {
		n += utf8.RuneCountInString(k) + utf8.RuneCountInString(v)
	}
	return n
}
