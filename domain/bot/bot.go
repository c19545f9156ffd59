// Package bot is what bots have beside their accounts: channels that they use unless they say otherwise, the service
// that an outgoing webhook calls, configuration, and storage.
package bot

import (
	"strings"
	"unicode/utf8"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/user"
)

// Bot is what a bot uses unless it says otherwise. It is a shared fact: a change of it is a directory.Change. A bot
// that nothing was set for has none.
type Bot struct {
	ID        user.ID    `json:"id"`
	Sends     channel.ID `json:"sends,omitempty"`      // default_sending_stream: where messages go that name no channel; 0: none
	Listens   channel.ID `json:"listens,omitempty"`    // default_events_register_stream: the narrow of queues that ask for none; 0: none
	AllPublic bool       `json:"all_public,omitempty"` // default_all_public_streams: of queues that do not say
}

// Email gives the address of a bot with that short name. Errors: BadRequest.
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

// CheckType refuses kinds of bots that nobody can make here: no embedded ones are part of the server. Errors:
// BadRequest.
func CheckType(t user.BotType) error {
	switch t {
	case user.GenericBot, user.IncomingWebhook, user.OutgoingWebhook:
		return nil
	case user.EmbeddedBot:
		return errs.Bad("This server has no embedded bots.")
	}
	return errs.Bad("Invalid bot type")
}

// MaxConfig is how much configuration a bot may have: characters of keys and values together.
const MaxConfig = 10_000

// CheckConfig refuses a configuration that is too large. Errors: BadRequest.
func CheckConfig(c map[string]string) error {
	if Chars(c) > MaxConfig {
		return errs.Bad("The configuration of a bot may have at most %d characters.", MaxConfig)
	}
	return storable(c)
}

// MaxStorage is how much a bot may store unless the config says otherwise: characters of keys and values together.
const MaxStorage = 10_000_000

// CheckEntries refuses entries that can't be stored, not even where nothing else is: characters are counted up to most.
// Errors: BadRequest.
func CheckEntries(entries map[string]string, most int) error {
	if err := CheckStored(Chars(entries), most); err != nil {
		return err
	}
	return storable(entries)
}

// CheckStored refuses to store so many characters. Errors: BadRequest.
func CheckStored(chars, most int) error {
	if chars > most {
		return errs.Bad("A bot may store at most %d characters.", most)
	}
	return nil
}

// storable refuses texts that PostgreSQL can't hold.
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
