package mattermost

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/stoachat/stoa/domain/importing"
)

// markdown converts a text, which is Markdown already: mentions, channels, emoji, images and formulas are written
// differently here. Code stays as it is.
func (s *source) markdown(text string) string {
	text = importing.CleanText(text)
	var out, prose []string
	flush := func() {
		if len(prose) > 0 {
			out = append(out, s.inline(strings.Join(prose, "\n")))
			prose = nil
		}
	}
	fence := ""
	for line := range strings.SplitSeq(text, "\n") {
		mark, info := fenceOf(line)
		switch {
		case fence != "":
			out = append(out, line)
			if mark != "" && info == "" && mark[0] == fence[0] && len(mark) >= len(fence) {
				fence = ""
			}
		case mark != "":
			flush()
			fence = mark
			if strings.EqualFold(info, "latex") || strings.EqualFold(info, "tex") {
				line = strings.Replace(line, info, "math", 1)
			}
			out = append(out, line)
		default:
			prose = append(prose, line)
		}
	}
	flush()
	return strings.Join(out, "\n")
}

// fenceOf returns the mark of a line that begins or ends a block of code, and what follows it.
func fenceOf(line string) (mark, info string) {
	line = strings.TrimSpace(line)
	for _, c := range []string{"`", "~"} {
		rest := strings.TrimLeft(line, c)
		if n := len(line) - len(rest); n >= 3 && !strings.Contains(rest, c) {
			return line[:n], strings.TrimSpace(rest)
		}
	}
	return "", ""
}

var (
	urlAt   = regexp.MustCompile(`^https?://[^\s<>)]+`)
	imageAt = regexp.MustCompile(`^!\[([^\[\]\n]*)\]\(([^\s)]+)(?: +"[^"\n]*")?(?: +=\d*(?:x\d*)?)?\)`)
	nameAt  = regexp.MustCompile(`^[A-Za-z0-9._-]{1,100}`)
	emojiAt = regexp.MustCompile(`^:([A-Za-z0-9_+-]{1,100}):`)
)

// inline converts a text without blocks of code.
func (s *source) inline(text string) string {
	var b strings.Builder
	before := ' '
	for text != "" {
		done, n := s.token(text, before)
		if n == 0 {
			_, n = utf8.DecodeRuneInString(text)
			done = text[:n]
		}
		b.WriteString(done)
		before, _ = utf8.DecodeLastRuneInString(text[:n])
		text = text[n:]
	}
	return b.String()
}

// token converts what a text begins with, and returns its length, or 0 if it is an ordinary character.
func (s *source) token(text string, before rune) (converted string, n int) {
	word := unicode.IsLetter(before) || unicode.IsDigit(before) || before == '_'
	switch text[0] {
	case '`':
		return code(text)
	case 'h':
		if m := urlAt.FindString(text); m != "" && !word {
			return m, len(m)
		}
	case '!':
		if m := imageAt.FindStringSubmatch(text); m != nil {
			label := m[1]
			if strings.TrimSpace(label) == "" {
				label = "image"
			}
			return "[" + label + "](" + m[2] + ")", len(m[0])
		}
	case '@':
		if special(text[1:]) {
			return "@ ", 1
		}
		if !word && before != '/' && before != '@' {
			return s.mention(text)
		}
	case '#':
		if strings.HasPrefix(text, "#**") {
			return "# ", 1
		}
	case '~':
		if !word && before != '~' && before != '/' {
			return s.channelLink(text)
		}
	case ':':
		if m := emojiAt.FindStringSubmatch(text); m != nil && !word {
			return s.emojiText(m[1]), len(m[0])
		}
	}
	return "", 0
}

// special reports whether the text after an @ would make it a mention here: in the source, it is formatted text.
func special(after string) bool {
	return strings.HasPrefix(after, "*") || strings.HasPrefix(after, "_*")
}

// code returns the span of code that a text begins with, as it is.
func code(text string) (string, int) {
	rest := strings.TrimLeft(text, "`")
	mark := text[:len(text)-len(rest)]
	for i := 0; i < len(rest); {
		j := strings.IndexByte(rest[i:], '`')
		if j < 0 {
			break
		}
		i += j
		end := i + len(rest[i:]) - len(strings.TrimLeft(rest[i:], "`"))
		if end-i == len(mark) {
			n := len(mark) + end
			return text[:n], n
		}
		i = end
	}
	return mark, len(mark)
}

// mention converts a mention: of the longest name that somebody has, because what follows it may be punctuation.
func (s *source) mention(text string) (string, int) {
	found := nameAt.FindString(text[1:])
	for n := found; n != ""; n = n[:len(n)-1] {
		k := personKey(n)
		switch {
		case s.users[k] != nil || s.bots[k] != nil:
			return importing.Mention(k, "@"+n), 1 + len(n)
		case k == "all" || k == "channel" || k == "here":
			return "@**all**", 1 + len(n)
		case !strings.ContainsRune("._-", rune(n[len(n)-1])):
			return text[:1+len(found)], 1 + len(found) // nobody
		}
	}
	return "", 0
}

// channelLink converts a link to a channel of the team.
func (s *source) channelLink(text string) (string, int) {
	found := nameAt.FindString(text[1:])
	for n := found; n != ""; n = n[:len(n)-1] {
		k := channelKey(s.team.Name, n)
		if s.channels[k] != nil {
			return importing.ChannelLink(k, "~"+n), 1 + len(n)
		}
		if !strings.ContainsRune("._-", rune(n[len(n)-1])) {
			break
		}
	}
	return "", 0
}

// emojiText converts an emoji in a text, or returns it as it is.
func (s *source) emojiText(name string) string {
	if s.emoji[name] != nil {
		return importing.CustomEmoji(emojiKey(name), ":"+name+":")
	}
	if base, tone := splitTone(name); tone != 0 && !s.unicode(name) && s.unicode(base) {
		if code, _ := s.EmojiCode(base); code != "" {
			if text := emojiOf(code); text != "" {
				return text + string(tone)
			}
		}
		return ":" + base + ":"
	}
	return ":" + name + ":"
}

// literal returns a text of one line that is shown as it is.
func (s *source) literal(text string) string {
	text = strings.Join(strings.Fields(importing.CleanText(text)), " ")
	return strings.NewReplacer("*", "∗", "`", "'", "[", "(", "]", ")").Replace(text)
}

func linkLabel(text string) string {
	text = strings.Join(strings.Fields(importing.CleanText(text)), " ")
	return strings.NewReplacer("[", "(", "]", ")").Replace(text)
}
