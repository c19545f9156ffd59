package channel

import "strings"

// Mailbox returns the local part of a channel's email address: the name if it is plain ASCII, the secret token, and the
// option to show the sender.
func Mailbox(name, token string) string {
	box := token + ".show-sender"
	if slug := slug(name); slug != "" {
		return slug + "." + box
	}
	return box
}

// slug reduces a name to lower-case letters, digits and dashes. It returns "" if the name contains non-ASCII
// characters.
func slug(name string) string {
	var b strings.Builder
	dash := false
	for _, r := range strings.ToLower(name) {
		switch {
		case r > 127:
			return ""
		case 'a' <= r && r <= 'z' || '0' <= r && r <= '9':
			if dash && b.Len() > 0 {
				b.WriteByte('-')
			}
			dash = false
			b.WriteRune(r)
		default:
			dash = true
		}
	}
	return b.String()
}
