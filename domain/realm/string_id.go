package realm

import (
	"slices"
	"strings"

	"github.com/stoachat/stoa/domain/errs"
)

const maxStringID = 40

// reserved lists subdomains that other hosts use or that could pass for the server itself.
var reserved = []string{
	"about", "admin", "administrator", "api", "app", "auth", "blog", "chat", "dev", "docs", "download", "files", "ftp",
	"help", "imap", "internal",
	"localhost", "login", "mail", "media", "mx", "news", "ns", "pop", "proxy", "push", "root", "security", "server",
	"smtp", "ssl", "staging",
	"static", "status", "stoa", "support", "system", "test", "uploads", "webmail", "www", "zulip",
}

// CheckStringID validates the subdomain of a realm other than the root one and returns its stored form. Errors:
// BadRequest, whose text GET /realm/subdomain returns.
func CheckStringID(sent string) (string, error) {
	id := strings.ToLower(strings.TrimSpace(sent))
	switch {
	case id == "":
		return "", errs.Bad("Subdomain can't be empty.")
	case len(id) > maxStringID:
		return "", errs.Bad("Subdomain is too long (limit: %d characters)", maxStringID)
	case strings.Trim(id, "abcdefghijklmnopqrstuvwxyz0123456789-") != "":
		return "", errs.Bad("Subdomain can only have lowercase letters, numbers, and '-'s.")
	case strings.HasPrefix(id, "-") || strings.HasSuffix(id, "-"):
		return "", errs.Bad("Subdomain cannot start or end with a '-'.")
	case slices.Contains(reserved, id):
		return "", errs.Bad("Subdomain is reserved. Please choose a different one.")
	}
	return id, nil
}
