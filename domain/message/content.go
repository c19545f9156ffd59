package message

import (
	"strings"
	"unicode"

	"github.com/stoachat/stoa/domain/errs"
)

// MaxLength is how many code points a message has at most; longer ones are cut.
const MaxLength = 10000

const truncated = "\n[message truncated]"

// Clean makes a message of the text that a client sent: stripped at the right, and of line breaks at the left; too long
// a text is cut and says so. Errors: BadRequest.
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

// IsMeText tells whether a text is a status message of its sender.
func IsMeText(content string) bool { return strings.HasPrefix(content, "/me ") }

// readers are the clients whose users have read what they send.
var readers = []string{
	"zulipandroid", "zulipios", "zulipdesktop", "zulipmobile", "zulipelectron", "zulipterminal", "zulipflutter",
	"snipe", "website", "ios", "android",
}

// ReadBySender tells whether a message sent with that client is read by its sender from the start, if the request does
// not say.
func ReadBySender(client string) bool {
	name := strings.ToLower(client)
	for _, r := range readers {
		if name == r {
			return true
		}
	}
	return strings.Contains(name, "desktop app")
}
