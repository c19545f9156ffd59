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

// Reserved reports whether an operator is one of the server or of its clients, by its current name or a former one.
func Reserved(operator string) bool {
	switch currentName(operator) {
	case "channel", "channels", "date", "dm", "dm-including", "from", "group-pm-with", "has", "id", "in", "is", "mentions",
		"near", "search", "sender", "subject", "topic", "with":
		return true
	}
	return false
}
