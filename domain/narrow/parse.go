package narrow

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/stoachat/stoa/domain/errs"
)

// MaxTerms is the maximum number of terms of a narrow.
const MaxTerms = 100

// Parse parses a narrow: a list of {operator, operand, negated}, or of pairs of strings. null and empty input are the
// empty narrow. Old names of operators are replaced by the current ones. Errors: BadRequest.
func Parse(raw []byte) ([]Term, error) {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || string(raw) == "null" {
		return nil, nil
	}
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		return nil, errs.Bad("narrow is not a list")
	}
	if len(list) > MaxTerms {
		return nil, errs.Bad("Too many narrow terms (maximum %d)", MaxTerms)
	}
	terms := make([]Term, 0, len(list))
	for i, e := range list {
		t, problem := parseTerm(e)
		if problem != "" {
			return nil, errs.Bad("Invalid narrow[%d]: %s", i, problem)
		}
		terms = append(terms, t)
	}
	return terms, nil
}

func parseTerm(raw json.RawMessage) (Term, string) {
	switch first(raw) {
	case '[':
		return parsePair(raw)
	case '{':
		return parseObject(raw)
	}
	return Term{}, "dict or list required"
}

func parsePair(raw json.RawMessage) (Term, string) {
	var pair []json.RawMessage
	if json.Unmarshal(raw, &pair) != nil || len(pair) != 2 || first(pair[0]) != '"' || first(pair[1]) != '"' {
		return Term{}, "element is not a string pair"
	}
	t := Term{Operand: pair[1]}
	if json.Unmarshal(pair[0], &t.Operator) != nil {
		return Term{}, "element is not a string pair"
	}
	t.Operator = currentName(t.Operator)
	return t, ""
}

func parseObject(raw json.RawMessage) (Term, string) {
	var fields map[string]json.RawMessage
	if json.Unmarshal(raw, &fields) != nil {
		return Term{}, "dict or list required"
	}
	operator, operand, negated := fields["operator"], fields["operand"], fields["negated"]
	t := Term{Operand: operand}
	switch {
	case operator == nil:
		return Term{}, "operator is missing"
	case operand == nil:
		return Term{}, "operand is missing"
	case json.Unmarshal(operator, &t.Operator) != nil || first(operator) != '"':
		return Term{}, "operator is not a string"
	case negated != nil && json.Unmarshal(negated, &t.Negated) != nil:
		return Term{}, "negated is not a boolean"
	}
	t.Operator = currentName(t.Operator)
	return t, ""
}

func first(raw json.RawMessage) byte {
	if raw = bytes.TrimSpace(raw); len(raw) > 0 {
		return raw[0]
	}
	return 0
}

// currentName returns the current name of an operator.
func currentName(operator string) string {
	switch operator {
	case "stream":
		return "channel"
	case "streams":
		return "channels"
	case "pm-with", "pm_with":
		return "dm"
	case "group_pm_with":
		return "group-pm-with"
	}
	return operator
}

// Text returns the operand, which must be a string. Errors: BadRequest.
func (t Term) Text() (string, error) {
	var s string
	if first(t.Operand) != '"' || json.Unmarshal(t.Operand, &s) != nil {
		return "", errs.Bad("operand is not a string")
	}
	return s, nil
}

// idOrText returns the operand, which must be an integer or a string; isText reports which. Errors: BadRequest.
func (t Term) idOrText() (id int64, s string, isText bool, err error) {
	if s, err := t.Text(); err == nil {
		return 0, s, true, nil
	}
	if first(t.Operand) == 'n' || json.Unmarshal(t.Operand, &id) != nil {
		return 0, "", false, errs.Bad("operand is not a string or integer")
	}
	return id, "", false, nil
}

// idsOrEmails returns the operand, which must be a list of integers or a string of email addresses separated by commas.
// Errors: BadRequest.
func (t Term) idsOrEmails() (ids []int64, emails []string, err error) {
	if s, err := t.Text(); err == nil {
		for _, e := range strings.Split(s, ",") {
			if e = strings.TrimSpace(e); e != "" {
				emails = append(emails, e)
			}
		}
		return nil, emails, nil
	}
	if first(t.Operand) != '[' || json.Unmarshal(t.Operand, &ids) != nil || bytes.Contains(t.Operand, []byte("null")) {
		return nil, nil, errs.Bad("operand is not a string or an integer list")
	}
	return ids, nil, nil
}
