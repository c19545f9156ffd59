package realm

import (
	"encoding/json"
	"strconv"

	"github.com/stoachat/stoa/domain/errs"
)

// timeLimit is a time limit as clients send it: seconds, or "unlimited" with or without JSON quotes. null leaves the
// setting unchanged.
type timeLimit struct {
	seconds *int
	null    bool
}

// UnmarshalText parses a limit. Errors: BadRequest.
func (l *timeLimit) UnmarshalText(b []byte) error {
	if l.null = string(b) == "null"; l.null {
		return nil
	}
	n, unlimited, err := parseLimit(b)
	if !unlimited {
		l.seconds = &n
	}
	return err
}

// retentionDays is a message retention time as clients send it: days, or "unlimited" with or without JSON quotes.
type retentionDays struct {
	n    int
	null bool
}

// UnmarshalText parses a retention time. Errors: BadRequest.
func (d *retentionDays) UnmarshalText(b []byte) error {
	if d.null = string(b) == "null"; d.null {
		return nil
	}
	n, unlimited, err := parseLimit(b)
	if d.n = n; unlimited {
		d.n = -1
	} else if n == -1 {
		d.n = 0 // the setting's check rejects 0; clients must send "unlimited" instead of -1, its internal form
	}
	return err
}

func parseLimit(b []byte) (n int, unlimited bool, err error) {
	text := unquote(string(b))
	if text == "unlimited" {
		return 0, true, nil
	}
	if n, err = strconv.Atoi(text); err != nil || n > 1<<31-1 {
		return 0, false, errs.Bad("Bad value: want a number or \"unlimited\"")
	}
	return n, false, nil
}

// serverURL is the URL of a video call server as clients send it. "default" selects the one in the configuration.
type serverURL struct {
	url  string
	null bool
}

// UnmarshalText parses a URL.
func (s *serverURL) UnmarshalText(b []byte) error {
	s.url, s.null = unquote(string(b)), string(b) == "null"
	if s.url == "default" {
		s.url = ""
	}
	return nil
}

// unquote decodes text if it is a JSON string, and returns other text unchanged.
func unquote(text string) string {
	var s string
	if json.Unmarshal([]byte(text), &s) == nil {
		return s
	}
	return text
}
