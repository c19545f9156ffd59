package markdown

import (
	"strings"
	"unicode/utf8"
)

// emoticons matches emoticons such as :) if they are enabled.
func (in *inline) emoticons(s string, _ int) string {
	if !in.source.Emoticons {
		return s
	}
	r := rewriting{in: in, s: s}
	for at := 0; at+1 < len(s); at++ {
		name := emoticon(s[at : at+2])
		if name == "" || !separates(s[:at], true) || !separates(s[at+2:], false) {
			continue
		}
		if code, ok := in.emoji.Code(name); ok {
			r.replace(at, at+2, emojiSpan(name, code))
			at++
		}
	}
	return r.text()
}

// separates reports whether an emoticon may stand next to s: after it if last is set, otherwise before it.
func separates(s string, last bool) bool {
	if s == "" {
		return true
	}
	r, _ := utf8.DecodeRuneInString(s)
	if last {
		r, _ = utf8.DecodeLastRuneInString(s)
	}
	return strings.ContainsRune(",.;?!()[] \"'\n\t", r)
}

func emoticon(s string) string {
	switch s {
	case ":)", "(:":
		return "smile"
	case ":(":
		return "frown"
	case "<3":
		return "heart"
	case ":|":
		return "neutral"
	case ":/":
		return "confused"
	case ";)":
		return "wink"
	case ":D":
		return "grinning"
	case ":o", ":O":
		return "open_mouth"
	case ":p", ":P":
		return "stuck_out_tongue"
	}
	return ""
}
