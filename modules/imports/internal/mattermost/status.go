package mattermost

import (
	"encoding/json"
	"time"

	"github.com/stoachat/stoa/domain/importing"
)

// customStatus is the status that a user has set. Exports contain it as an object, or as text with one.
type customStatus struct {
	Emoji     string `json:"emoji"`
	Text      string `json:"text"`
	ExpiresAt string `json:"expires_at"`
}

// UnmarshalJSON implements json.Unmarshaler. A malformed status is empty.
func (c *customStatus) UnmarshalJSON(text []byte) error {
	type plain customStatus
	var quoted string
	if json.Unmarshal(text, &quoted) == nil {
		text = []byte(quoted)
	}
	var p plain
	if importing.Decode(text, &p) == nil {
		*c = customStatus(p)
	}
	return nil
}

func (c *customStatus) expired(now time.Time) bool {
	at, err := time.Parse(time.RFC3339, c.ExpiresAt)
	return err == nil && at.Year() > 1 && at.Before(now)
}
