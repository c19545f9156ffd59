package openapi

import (
	_ "embed" // codes.txt, causes.txt, levels.txt
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/modules/kit"
)

// codes.txt lists the codes that responses of operations have, beside those that follow from the route: lines of an ID
// and codes. A test that receives another one fails; see Checker. `make examples` adds what tests receive.
//
// causes.txt lists the events that a success of an operation may cause, in the same form: each is a type, or a type and
// an op with a slash between them.
//
// levels.txt lists changes of operations, a line each: the feature level, the ID and what has changed.
//
//go:embed codes.txt
var codesText string

//go:embed causes.txt
var causesText string

//go:embed levels.txt
var levelsText string

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

// codes returns the codes of an operation's errors.
func (b *builder) codes(e kit.Endpoint, id string) []errs.Code {
	all := []errs.Code{errs.BadRequest, errs.RateLimit, errs.Internal, errs.Unavailable, errs.NonexistentSubdomain}
	if !e.Access.Open() || e.KeyParam != "" || e.RateClass == kit.LoginClass || e.PasswordParam != "" {
		all = append(all, errs.Unauthorized, errs.InvalidAPIKey, errs.UserDeactivated, errs.RealmDeactivated, errs.CSRF)
	}
	if e.Access.Setting() == "" && !e.Access.Open() && !e.Access.Spectating() {
		all = append(all, errs.UnauthorizedPrincipal, errs.PermissionDenied)
	}
	if e.Req != nil && e.Req.Kind() == reflect.Struct && e.Req.NumField() > 0 {
		all = append(all, errs.Missing, errs.Invalid, errs.Confusing, errs.InvalidJSON)
	}
	if strings.Contains(e.Path, "/:") {
		all = append(all, errs.NotFound)
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

// causes returns the schemas of the events that a success may cause. Those of modules that do not run are absent.
func (b *builder) causes(id string) []string {
	var all []string
	for _, key := range seenCauses()[id] {
		if !strings.Contains(key, "/") {
			key += "/"
		}
		leaf := b.doc.leaves[key]
		if leaf == nil {
			continue
		}
		for _, s := range slices.Concat([]*Schema{leaf}, leaf.OneOf) {
			if name, ok := strings.CutPrefix(s.Ref, "#/components/schemas/"); ok {
				all = append(all, name)
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Change is a change of an operation at a feature level.
type Change struct {
	Level int    `json:"level"`
	Text  string `json:"text"`
}

// changes returns the level at which an operation was added, 0 if it is not known, and its changes.
func changes(id string) (since int, all []Change) {
	for line := range strings.Lines(levelsText) {
		part := strings.SplitN(strings.TrimSpace(line), " ", 3)
		level, err := strconv.Atoi(part[0])
		switch {
		case err != nil || len(part) < 3 || part[1] != id:
		case part[2] == "Added.":
			since = level
		default:
			all = append(all, Change{level, part[2]})
		}
	}
	return since, all
}

// IsGeneral reports whether requests of any operation may be refused with a code, by the server rather than the
// operation.
func IsGeneral(c errs.Code) bool {
	switch c {
	case errs.BadRequest, errs.Missing, errs.Invalid, errs.Confusing, errs.InvalidJSON, errs.Unauthorized,
		errs.InvalidAPIKey, errs.UserDeactivated, errs.RealmDeactivated, errs.NonexistentSubdomain,
		errs.UnauthorizedPrincipal, errs.PermissionDenied, errs.CSRF, errs.NotFound, errs.MethodNotAllowed,
		errs.TooLarge, errs.RateLimit, errs.Unavailable, errs.Maintenance, errs.Internal:
		return true
	}
	return false
}
