package narrow

import (
	"encoding/json"
	"slices"

	"github.com/stoachat/stoa/domain/errs"
)

// CheckSpectator returns an error unless spectators are allowed to use a narrow: it must be limited to web-public
// channels and must not depend on the reader. Errors: Unauthorized.
func CheckSpectator(terms []Term) error {
	public := false
	for _, t := range terms {
		var text string
		_ = json.Unmarshal(t.Operand, &text) // other types leave text empty
		switch {
		case !slices.Contains(spectating, t.Operator) && (t.Operator != "is" || text != "resolved"):
			return errs.NotLoggedIn()
		case (t.Operator == "channels" || t.Operator == "streams") && text == "web-public" && !t.Negated:
			public = true
		}
	}
	if !public {
		return errs.NotLoggedIn()
	}
	return nil
}

// spectating lists the operators that spectators are allowed to use, besides is:resolved.
var spectating = []string{
	"channel",
	"channels",
	"stream",
	"streams",
	"topic",
	"subject",
	"sender",
	"from",
	"has",
	"search",
	"near",
	"id",
	"with",
}
