package mailin

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// Mail is an incoming email.
type Mail struct {
	ID        string // Message-ID, if any
	From      string // from the header
	FromName  string
	Subject   string
	InThread  bool   // refers to an earlier email (In-Reply-To or References)
	Automatic bool   // sent by a program: an auto-reply, a bounce
	Listed    bool   // bulk mail: a mailing list, an advertisement
	Text      string // Markdown; "[cid:" + Ref + "]" stands for a file
	Files     []File
	Dropped   int // number of further attachments
}

// File is an attachment.
type File struct {
	Name, Type string // as given in the email, unchecked
	Ref        string // by which the text may refer to it, or ""
	Data       []byte
}

// Key returns a key that identifies an email to an address, for detecting repeated deliveries. It is "" if the email
// has no ID.
func (m Mail) Key(to string) string {
	if m.ID == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(strings.ToLower(to) + " " + m.ID))
	return "email " + hex.EncodeToString(sum[:])
}
