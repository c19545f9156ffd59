package zulip

import (
	"encoding/json"
	"time"

	"github.com/stoachat/stoa/domain/importing"
)

// copied is a table whose rows are passed on as rows of a table here: IDs are the same keys.
type copied struct {
	to      string
	columns map[string]string // the names here by those there
}

// copies are those tables. The column "at:x" is the time x.
var copies = map[string]copied{
	"zerver_muteduser": {"user_mutes", map[string]string{
		"user_profile": "user_id", "muted_user": "muted_id", "date_muted": "at:since",
	}},
	"zerver_savedsnippet": {"saved_snippets", map[string]string{
		"id": "id", "user_profile": "user_id", "title": "title", "content": "content", "date_created": "at:created_at",
	}},
	"zerver_realmfilter": {"linkifiers", map[string]string{
		"id": "id", "order": "position", "pattern": "pattern", "url_template": "url_template",
	}},
	"zerver_realmplayground": {"playgrounds", map[string]string{
		"id": "id", "name": "name", "pygments_language": "language", "url_template": "url_template",
	}},
	"zerver_navigationview": {"navigation_views", map[string]string{
		"user": "user_id", "fragment": "fragment", "is_pinned": "is_pinned", "name": "name",
	}},
	"zerver_onboardingstep": {"onboarding_steps", map[string]string{"user": "user_id", "onboarding_step": "step"}},
	"zerver_hotspot":        {"onboarding_steps", map[string]string{"user": "user_id", "hotspot": "step"}},
}

// copy adds a row of another table, or returns false if it is malformed.
func (s *source) copy(c copied, row []byte) bool {
	var there map[string]json.RawMessage
	if importing.Decode(row, &there) != nil {
		return false
	}
	here := map[string]any{}
	for from, to := range c.columns {
		v, ok := there[from]
		switch {
		case !ok || string(v) == "null":
		case len(to) > 3 && to[:3] == "at:":
			at, err := importing.Seconds(string(v))
			if err != nil {
				return false
			}
			here[to[3:]] = at.Format(time.RFC3339Nano)
		default:
			here[to] = v
		}
	}
	line, err := json.Marshal(here)
	if err != nil || len(here) == 0 {
		return false
	}
	s.copied = append(s.copied, importing.Row{Table: c.to, Line: line})
	return true
}
