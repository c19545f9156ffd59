package message

import (
	"slices"
	"strings"
	"unicode"

	"github.com/stoachat/stoa/domain/errs"
)

// MaxLength is the maximum length of a message in code points. Longer ones are truncated.
const MaxLength = 10000

const truncated = "\n[message truncated]"

// Clean converts the text of a request to the content of a message. It trims white space at the end and line breaks at
// the beginning, and truncates text that is too long. Errors: BadRequest.
func Clean(sent string) (string, error) {
	text := strings.TrimLeft(strings.TrimRightFunc(sent, unicode.IsSpace), "\n")
	switch {
	case text == "":
		return "", errs.Bad("Message must not be empty")
	case strings.ContainsRune(text, 0):
		return "", errs.Bad("Message must not contain null bytes")
	}
	if len(text) <= MaxLength {
		return text, nil
	}
	if all := []rune(text); len(all) > MaxLength {
		text = string(all[:MaxLength-len(truncated)]) + truncated
	}
	return text, nil
}

// IsMeText reports whether a text is a status message of its sender.
func IsMeText(content string) bool { return strings.HasPrefix(content, "/me ") }

// interactiveClients lists the clients for which ReadBySender is true, in lower case.
var interactiveClients = []string{
	"zulipandroid", "zulipios", "zulipdesktop", "zulipmobile", "zulipelectron", "zulipterminal", "zulipflutter",
	"snipe", "website", "ios", "android",
}

// ReadBySender reports whether a message sent with a client starts out as read for its sender. It is the default for
// requests that do not specify it.
func ReadBySender(client string) bool {
	name := strings.ToLower(client)
	return slices.Contains(interactiveClients, name) || strings.Contains(name, "desktop app")
}
