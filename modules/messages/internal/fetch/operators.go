package fetch

import (
	"context"
	"slices"

	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/narrow"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

// operated is a term with the operator of a module.
type operated struct {
	negated bool
	rows    kit.Selection // if match is nil
	match   func(*message.Message) (bool, error)
}

// readOperators compiles the terms with operators of modules, and returns the others. Errors: BadNarrow, BadRequest.
func (q *query) readOperators(ctx context.Context, terms []narrow.Term) ([]narrow.Term, error) {
	if len(q.s.Collected.Operators) == 0 {
		return terms, nil
	}
	rest := make([]narrow.Term, 0, len(terms))
	for _, t := range terms {
		o, ok := q.s.Collected.Operators[t.Operator]
		if !ok {
			rest = append(rest, t)
			continue
		}
		if len(q.operated) == kit.MaxOperators {
			return nil, narrow.Bad("too many terms with " + t.Operator)
		}
		one := operated{negated: t.Negated}
		var err error
		if o.ByMessage() {
			one.match, err = o.Match(t)
		} else {
			one.rows, err = o.Select(ctx, q.by, t)
		}
		if err != nil {
			return nil, err
		}
		q.operated = append(q.operated, one)
	}
	return rest, nil
}

// operatedByText reports whether operators of modules examine the content of messages.
func (q *query) operatedByText() bool {
	return slices.ContainsFunc(q.operated, func(o operated) bool { return o.match != nil })
}

// selection returns rows that all matching messages are in, or nil.
func (q *query) selection() *kit.Selection {
	for i, o := range q.operated {
		if o.match == nil && !o.negated {
			return &q.operated[i].rows
		}
	}
	return nil
}

// fromSelection finds candidates in a module's rows.
func (q *query) fromSelection(in kit.Selection) candidates {
	return func(ctx context.Context, s span, n int) ([]message.Message, span, error) {
		ids, err := q.s.Store.Selected(ctx, in, s.scan(q.filter, n))
		if err != nil {
			return nil, s, err
		}
		return q.fromIDs(ctx, s, ids, n)
	}
}

// selected returns the messages that match the terms with operators of modules. It charges the caller for the content
// that it reads. Errors: RateLimit.
func (q *query) selected(ctx context.Context, heads []message.Message) ([]message.Message, error) {
	for _, o := range q.operated {
		if len(heads) == 0 {
			break
		}
		var has map[message.ID]bool
		var err error
		if o.match != nil {
			has, err = q.matchedBy(ctx, o.match, heads)
		} else {
			has, err = q.s.Store.SelectedAmong(ctx, o.rows, idsOf(heads))
		}
		if err != nil {
			return nil, err
		}
		heads = slices.DeleteFunc(heads, func(m message.Message) bool { return has[m.ID] == o.negated })
	}
	return heads, nil
}

func (q *query) matchedBy(
	ctx context.Context, match func(*message.Message) (bool, error), heads []message.Message,
) (map[message.ID]bool, error) {
	has := make(map[message.ID]bool, len(heads))
	for part := range slices.Chunk(idsOf(heads), textsPerRead) {
		whole, err := q.s.Store.ByID(ctx, q.v.Realm().ID, part)
		if err != nil {
			return nil, err
		}
		size := 0
		for i := range whole {
			size += len(whole[i].Content) + len(whole[i].Topic)
		}
		if err := ports.Spend(ctx, size); err != nil {
			return nil, err
		}
		for i := range whole {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if has[whole[i].ID], err = match(&whole[i]); err != nil {
				return nil, err
			}
		}
	}
	return has, nil
}
