package engine

import (
	"errors"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/importing"
)

// countRevised counts the messages that modules have refused, in whole or in part.
func (b *batch) countRevised(all []*importing.Message, written []*importing.Written) {
	logged := false
	why := func(err error) string {
		var refused *errs.Error
		if errors.As(err, &refused) && refused.Code != errs.Unavailable {
			return "a module refuses it: " + importing.Shorten(refused.Error(), 200)
		}
		if !logged {
			b.Logger.Error("a module failed to revise imported messages", "realm", b.realm, "err", err)
			logged = true
		}
		return "a module failed to check it"
	}
	for i, m := range all {
		switch w := written[i]; {
		case w.Refused != nil:
			b.leaveOut(m, importing.Skipped, why(w.Refused))
		case w.Cut != nil:
			b.leaveOut(m, importing.Converted, "without a former version: "+why(w.Cut))
		}
	}
}

// leaveOut moves a message from the count of those that are imported to another one. A part of a longer message is
// counted in addition.
func (t *task) leaveOut(m *importing.Message, to importing.Outcome, reason string) {
	if !m.Part {
		t.report.Retract(importing.Messages, m.Loss)
	}
	t.report.Count(importing.Messages, to, reason, string(m.Key))
}
