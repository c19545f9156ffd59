package kit

import (
	"context"
	"regexp"
	"strings"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/narrow"
)

// Operator is an operator of narrows that a module adds, such as ticket in ticket:open. It selects messages among those
// that the reader has access to; spectators cannot use it. Create it with OperatorByRows or OperatorByMessage.
type Operator struct {
	Name string // lower-case letters, digits and hyphens
	Doc  string // a sentence

	rows    func(context.Context, Actor, string) (Selection, error)
	message func(string) (func(*message.Message) bool, error)
	module  string
	panics  *Panics
}

// Selection is a SELECT of the column message_id, with a ? for each of Args. The server adds a condition on this
// column, an order and a limit, so use an index that begins with the other conditions and ends with the column.
type Selection struct {
	SQL  string
	Args []any
}

// Limits of the terms with operators of modules.
const (
	MaxOperators = 5   // in a narrow
	maxOperand   = 500 // bytes
)

// OperatorByRows returns an operator that selects the messages that a module has rows about. Clients search with it,
// but cannot limit an event queue to it. Errors of rows are for the client: narrow.Bad for an operand that is not
// valid.
func OperatorByRows(
	name, doc string, rows func(ctx context.Context, a Actor, operand string) (Selection, error),
) Operator {
	return Operator{Name: name, Doc: doc, rows: rows}
}

// OperatorByMessage returns an operator that selects messages by themselves. match returns the function that decides
// about a message with all its columns, without I/O; the function must not change it. Clients can also limit an event
// queue to it; match is then called for each of the queue's messages, so it must be fast. Its errors are for the
// client: narrow.Bad for an operand that is not valid.
func OperatorByMessage(name, doc string, match func(operand string) (func(*message.Message) bool, error)) Operator {
	return Operator{Name: name, Doc: doc, message: match}
}

// In returns the operator of a module. The server calls it.
func (o Operator) In(module string, p *Panics) Operator { o.module, o.panics = module, p; return o }

// ByMessage reports whether the operator was created with OperatorByMessage.
func (o Operator) ByMessage() bool { return o.message != nil }

// Select returns the rows that a term selects. Errors: those of the module; BadRequest.
func (o Operator) Select(ctx context.Context, a Actor, t narrow.Term) (s Selection, err error) {
	operand, err := operandOf(t)
	if err != nil {
		return s, err
	}
	defer o.panics.Recover(o.module, "operator "+o.Name, &err)
	return o.rows(ctx, a, operand)
}

// Match returns the function that decides whether a term selects a message. Errors: those of the module; BadRequest.
func (o Operator) Match(t narrow.Term) (match func(*message.Message) (bool, error), err error) {
	operand, err := operandOf(t)
	if err != nil {
		return nil, err
	}
	defer o.panics.Recover(o.module, "operator "+o.Name, &err)
	selects, err := o.message(operand)
	if err != nil {
		return nil, err
	}
	return func(m *message.Message) (holds bool, err error) {
		defer o.panics.Recover(o.module, "operator "+o.Name, &err)
		return selects(m), nil
	}, nil
}

func operandOf(t narrow.Term) (string, error) {
	operand, err := t.Text()
	if err == nil && len(operand) > maxOperand {
		err = errs.Bad("operand is too long (maximum %d bytes)", maxOperand)
	}
	return operand, err
}

var operatorName = regexp.MustCompile(`^[a-z][a-z0-9-]{0,39}$`)

// Problems returns what is wrong with the declaration.
func (o Operator) Problems() []string {
	var all []string
	if o.rows == nil && o.message == nil {
		all = append(all, "has no function; create it with kit.OperatorByRows or kit.OperatorByMessage")
	}
	if !operatorName.MatchString(o.Name) {
		all = append(all, "the name must consist of lower-case letters, digits and hyphens, at most 40")
	}
	if narrow.Reserved(o.Name) {
		all = append(all, "is an operator of the server; choose another name")
	}
	if !strings.HasSuffix(o.Doc, ".") {
		all = append(all, "needs a sentence that says what it selects")
	}
	return all
}
