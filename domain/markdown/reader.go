package markdown

import "time"

// Reader says how rendered content is shown outside of clients, in emails and notifications.
type Reader struct {
	Limit int  // maximum length in code points; longer content is truncated with …
	Brief bool // show a quote next to other text as […]

	Site   string                 // URL of the organization without a trailing slash, for relative links
	Date   func(time.Time) string // formats a time in the reader's language and time zone; nil: times as written
	Hidden string                 // replaces the content of spoilers; "": (…)
}
