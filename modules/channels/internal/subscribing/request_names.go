package subscribing

import (
	"encoding/json"
	"regexp"
	"strings"
)

// wantedName is a channel name in a request. encoding/json decodes half of a surrogate pair as U+FFFD, which names may
// contain. UnmarshalJSON replaces it with a noncharacter instead, so that the name is rejected at the right position.
type wantedName string

var surrogates = regexp.MustCompile(
	`\\\\|\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[dD][89a-fA-F][0-9a-fA-F]{2}`,
)

// UnmarshalJSON implements [json.Unmarshaler].
func (n *wantedName) UnmarshalJSON(b []byte) error {
	b = surrogates.ReplaceAllFunc(b, func(found []byte) []byte {
		if len(found) == len(`\ud800`) {
			return []byte(`\uffff`)
		}
		return found
	})
	return json.Unmarshal(b, (*string)(n))
}

// namedReq is a channel named in a request.
type namedReq struct {
	Name        wantedName `json:"name"`
	Description *string    `json:"description"`
	Color       *string    `json:"color"`
}

func wantedOf(sent []namedReq) []wanted {
	all := make([]wanted, len(sent))
	for i, n := range sent {
		all[i] = wanted{Name: string(n.Name), Color: n.Color}
		if n.Description != nil {
			all[i].Description = *n.Description
		}
	}
	return all
}

// Unquoted returns an unquoted text parameter, or nil if it is missing or null.
func Unquoted(text *string) *string {
	if text != nil && strings.TrimSpace(*text) == "null" {
		return nil
	}
	return text
}
