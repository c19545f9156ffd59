package openapi

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"regexp"
	"sync"
	"time"
	"unicode/utf8"
)

// limits returns which limit of a schema a value exceeds; "": none.
func limits(at string, v any, s *Schema) string {
	switch v := v.(type) {
	case json.Number:
		return s.number(at, v)
	case string:
		return s.text(at, v)
	case []any:
		return s.length(at, v)
	case map[string]any:
		if s.PropertyNames == nil {
			return ""
		}
		for _, name := range sorted(v) {
			if text := s.PropertyNames.text(at+", a key", name); text != "" {
				return text
			}
		}
	}
	return ""
}

func (s *Schema) number(at string, v json.Number) string {
	n, ok := new(big.Float).SetString(v.String())
	if !ok {
		return fmt.Sprintf("%s is %.60s, which is no number", at, v)
	}
	low, high := s.Minimum, s.Maximum
	switch s.Format {
	case "int32":
		low, high = or(low, math.MinInt32), or(high, math.MaxInt32)
	case "int64":
		low, high = or(low, math.MinInt64), or(high, math.MaxInt64)
	}
	switch {
	case low != nil && n.Cmp(new(big.Float).SetInt64(*low)) < 0:
		return fmt.Sprintf("%s is %s, less than %d", at, v, *low)
	case high != nil && n.Cmp(new(big.Float).SetInt64(*high)) > 0:
		return fmt.Sprintf("%s is %s, more than %d", at, v, *high)
	}
	return ""
}

func or(limit *int64, otherwise int64) *int64 {
	if limit == nil {
		return &otherwise
	}
	return limit
}

func (s *Schema) text(at, v string) string {
	switch n := utf8.RuneCountInString(v); {
	case n < s.MinLength:
		return fmt.Sprintf("%s has %d characters, fewer than %d", at, n, s.MinLength)
	case s.MaxLength > 0 && n > s.MaxLength:
		return fmt.Sprintf("%s has %d characters, more than %d", at, n, s.MaxLength)
	case s.Pattern != "" && !expression(s.Pattern).MatchString(v):
		return fmt.Sprintf("%s is %.60q, which does not match %s", at, v, s.Pattern)
	}
	if s.Format == "date-time" {
		if _, err := time.Parse(time.RFC3339, v); err != nil {
			return fmt.Sprintf("%s is %.60q, which is no date-time", at, v)
		}
	}
	return ""
}

func (s *Schema) length(at string, v []any) string {
	switch {
	case len(v) < s.MinItems:
		return fmt.Sprintf("%s has %d elements, fewer than %d", at, len(v), s.MinItems)
	case s.MaxItems > 0 && len(v) > s.MaxItems:
		return fmt.Sprintf("%s has %d elements, more than %d", at, len(v), s.MaxItems)
	}
	if !s.UniqueItems {
		return ""
	}
	seen := map[string]bool{}
	for _, x := range v {
		text := spelled(x)
		if seen[text] {
			return fmt.Sprintf("%s has the element %.60s twice", at, text)
		}
		seen[text] = true
	}
	return ""
}

// expressions are compiled patterns, by their text.
var expressions sync.Map

func expression(pattern string) *regexp.Regexp {
	if e, ok := expressions.Load(pattern); ok {
		return e.(*regexp.Regexp)
	}
	e := regexp.MustCompile(pattern) // of the program
	expressions.Store(pattern, e)
	return e
}
