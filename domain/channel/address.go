package channel

import "strings"

// Mailbox gives the local part of a channel's e-mail address: the name as far as it is plain ASCII, the token that is
// the secret, and that the sender is to be shown.
func Mailbox(name, token string) string {
	box := token + ".show-sender"
	if slug := slug(name); slug != "" {
		return slug + "." + box
	}
	return box
}

// slug gives a name in lower-case letters, digits and dashes; "" if it holds anything that ASCII has not.
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
