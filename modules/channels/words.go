package channels

import (
	"encoding/json"
	"regexp"
	"strings"
)

// wantedName is a channel's name in JSON. Go reads half a surrogate pair as U+FFFD, which names may hold: it is made a
// code point that is no character, so that the name is refused, at the right position.
type wantedName string

var surrogates = regexp.MustCompile(
	`\\\\|\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[dD][89a-fA-F][0-9a-fA-F]{2}`,
)

// UnmarshalJSON reads a name as it was sent.
func (n *wantedName) UnmarshalJSON(b []byte) error {
	b = surrogates.ReplaceAllFunc(b, func(found []byte) []byte {
		if len(found) == len(`\ud800`) {
			return []byte(`\uffff`)
		}
		return found
	})
	return json.Unmarshal(b, (*string)(n))
}

// namedReq is a wanted channel as it is sent.
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

// given gives a parameter that may be a bare word; null is as good as none.
func given(text *string) *string {
	if text != nil && strings.TrimSpace(*text) == "null" {
		return nil
	}
	return text
}
