package markdown

import (
	"strings"
	"time"
)

// times matches <time:when>. If the time is invalid, it stays text without further markup.
func (in *inline) times(s string, _ int) string {
	const mark = "<time:"
	return in.each(s, '<', func(r *rewriting, at int) int {
		if !strings.HasPrefix(s[at:], mark) {
			return at + 1
		}
		n := strings.IndexAny(s[at+len(mark):], ">\n")
		if n < 0 {
			return len(s)
		}
		end := at + len(mark) + n
		if s[end] != '>' {
			return end
		}
		text := in.written(s[at+len(mark) : end])
		if t, ok := parseTime(text, in.source.At); ok {
			r.replace(at, end+1, &span{tag: "time", text: text, attrs: []attr{{"datetime", stamp(t)}}})
		} else {
			r.replace(at, end+1, &plain{text: "<time:" + text + ">", raw: true})
		}
		return end + 1
	})
}

// stamp formats a time for clients, with microseconds only if there are any.
func stamp(t time.Time) string {
	if t.Nanosecond() == 0 {
		return t.Format("2006-01-02T15:04:05Z")
	}
	return t.Format("2006-01-02T15:04:05.000000Z")
}
