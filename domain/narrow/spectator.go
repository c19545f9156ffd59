package narrow

import (
	"encoding/json"
	"slices"

	"github.com/stoachat/stoa/domain/errs"
)

// CheckSpectator refuses narrows that spectators may not use: they must ask for web-public channels, and not depend on
// a reader. Errors: Unauthorized.
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

// spectating are the operators that spectators may use, besides is:resolved.
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
