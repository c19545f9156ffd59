package engine

import (
	"encoding/json"
	"time"

	"github.com/stoachat/stoa/domain/importing"
)

// undated is a row of a person or channel that is no later than a first message.
type undated struct {
	row    int // in the scan
	column string
	given  time.Time // zero: the source has none
	first  map[importing.Key]time.Time
	key    importing.Key
}

// earliest notes a time if it is the earliest of a key.
func earliest(all map[importing.Key]time.Time, k importing.Key, at time.Time) {
	if first, ok := all[k]; !ok || at.Before(first) {
		all[k] = at
	}
}

// date sets the dates of rows, after all messages have been read.
func (t *task) date() error {
	for _, u := range t.undated {
		at := u.given
		if first, ok := u.first[u.key]; ok && (at.IsZero() || first.Before(at)) {
			at = first
		}
		var line map[string]json.RawMessage
		r := &t.scan.Rows[u.row]
		if err := json.Unmarshal(r.Line, &line); err != nil {
			return err
		}
		text, err := json.Marshal(t.since(at))
		if err != nil {
			return err
		}
		line[u.column] = text
		if r.Line, err = json.Marshal(line); err != nil {
			return err
		}
	}
	return nil
}
