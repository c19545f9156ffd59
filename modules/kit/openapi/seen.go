package openapi

import (
	_ "embed" // codes.txt and causes.txt
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/modules/kit"
)

// codes.txt lists the codes that responses of operations have, beside those that follow from the route: lines of an ID
// and codes. A test that receives another one fails; see Checker. `make examples` adds what tests receive.
//
// causes.txt lists the events that a success of an operation may cause, in the same form: each is a type, or a type and
// an op with a slash between them. A test that causes another one fails; see Checker.Cause. make test fails if no test
// has seen a code or an event that is listed.
//
//go:embed codes.txt
var codesText string

//go:embed causes.txt
var causesText string

var (
	seenCodes  = sync.OnceValue(func() map[string][]string { return lists(codesText) })
	seenCauses = sync.OnceValue(func() map[string][]string { return lists(causesText) })
)

// lists reads lines of a name and words. A name may have several lines.
func lists(text string) map[string][]string {
	all := map[string][]string{}
	for line := range strings.Lines(text) {
		if words := strings.Fields(line); len(words) > 0 {
			all[words[0]] = append(all[words[0]], words[1:]...)
		}
	}
	return all
}

// codes returns the codes of an operation's errors: those that follow from its route and its parameters, and those that
// the route or codes.txt lists.
func (b *builder) codes(e kit.Endpoint, x *exchange, id string) []errs.Code {
	all := []errs.Code{errs.BadRequest, errs.RateLimit, errs.Internal, errs.Unavailable, errs.NonexistentSubdomain}
	if !e.Access.Open() || e.KeyParam != "" || e.RateClass == kit.LoginClass || e.PasswordParam != "" {
		all = append(all, errs.Unauthorized, errs.UserDeactivated, errs.RealmDeactivated)
	}
	if e.KeyParam != "" {
		all = append(all, errs.InvalidAPIKey)
	}
	if e.Method != http.MethodGet && !e.Access.Open() && !e.OnlyKeys && !e.Root {
		all = append(all, errs.CSRF) // under /json
	}
	if slices.Contains([]string{kit.Moderators.Name(), kit.Admins.Name(), kit.Owners.Name()}, e.Access.Name()) {
		all = append(all, errs.UnauthorizedPrincipal)
	}
	if e.Access.Name() == kit.Bots.Name() {
		all = append(all, errs.PermissionDenied)
	}
	if x.required || e.KeyParam != "" {
		all = append(all, errs.Missing)
	}
	if x.aliased {
		all = append(all, errs.Confusing)
	}
	if e.Method != http.MethodGet && !e.Reads {
		all = append(all, errs.Maintenance)
	}
	if e.Method != http.MethodGet && e.Method != http.MethodDelete {
		all = append(all, errs.TooLarge)
	}
	all = append(all, e.Codes...)
	for _, c := range seenCodes()[id] {
		all = append(all, errs.Code(c))
	}
	slices.Sort(all)
	return slices.Compact(all)
}
