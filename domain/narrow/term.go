// Package narrow is the language in which clients say which messages they mean: its forms, what its words mean in a
// realm, and which messages satisfy it.
package narrow

import "encoding/json"

// Term is one condition; the terms of a narrow are all to hold.
type Term struct {
	Operator string          `json:"operator"`
	Operand  json.RawMessage `json:"operand"` // any JSON value; each operator says which it takes
	Negated  bool            `json:"negated,omitempty"`
}
