// Package narrow implements narrows, the queries with which clients select messages: their syntax, the resolution of
// names in a realm, and matching.
package narrow

import "encoding/json"

// Term is one condition. All terms of a narrow must match.
type Term struct {
	Operator string          `json:"operator"`
	Operand  json.RawMessage `json:"operand"` // any JSON value; the operator determines its type
	Negated  bool            `json:"negated,omitempty"`
}
