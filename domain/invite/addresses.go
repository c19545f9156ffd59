package invite

import (
	"strings"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/user"
)

// MaxAddresses is the maximum number of addresses per request.
const MaxAddresses = 1000

// Addresses parses the addresses of a request, separated by commas or newlines, with or without names, as in "Ada
// <ada@example.com>". It drops duplicates and keeps the order, but does not validate the addresses. Errors: BadRequest
// for none or too many.
func Addresses(text string) ([]string, error) {
	var all []string
	seen := map[string]bool{}
	for part := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == ',' || r == '\n' || r == '\r' }) {
		address := address(part)
		key := user.EmailKey(address)
		if address == "" || seen[key] {
			continue
		}
		seen[key] = true
		if all = append(all, address); len(all) > MaxAddresses {
			return nil, errs.Bad("Too many addresses in one request (limit: %d)", MaxAddresses)
		}
	}
	if len(all) == 0 {
		return nil, errs.Bad("You must specify at least one email address.")
	}
	return all, nil
}

// address extracts the address from angle brackets, if there are any.
func address(part string) string {
	part = strings.TrimSpace(part)
	if open := strings.LastIndexByte(part, '<'); open >= 0 && strings.HasSuffix(part, ">") {
		part = strings.TrimSpace(part[open+1 : len(part)-1])
	}
	return part
}
