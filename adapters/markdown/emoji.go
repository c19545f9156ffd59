package markdown

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/stoachat/stoa/domain/emoji"
)

// emojiNames matches the :name: of a custom emoji, the built-in extra emoji, or a Unicode emoji.
func (in *inline) emojiNames(s string, _ int) string {
	return in.each(s, ':', func(r *rewriting, at int) int {
		end := at + 1
		for end < len(s) {
			c, size := utf8.DecodeRuneInString(s[end:])
			if !wordRune(c) && c != '-' && c != '+' {
				break
			}
			end += size
		}
		if end == at+1 || end == len(s) || s[end] != ':' {
			return end
		}
		name := s[at+1 : end]
		if n := in.customEmoji(name); n != nil {
			r.replace(at, end+1, n)
			return end + 1
		}
		if name == emoji.Extra {
			r.replace(at, end+1, emojiImage(name, emoji.ExtraSource))
			return end + 1
		}
		if code, ok := in.emoji.Code(name); ok {
			r.replace(at, end+1, emojiSpan(name, code))
			return end + 1
		}
		return end // which may open the next name
	})
}

func (in *inline) customEmoji(name string) *span {
	if in.view == nil {
		return nil
	}
	e := emoji.In(in.view).Named(name)
	if e == nil || e.Deactivated {
		return nil
	}
	return emojiImage(name, e.Source)
}

func emojiImage(name, source string) *span {
	return &span{tag: "img", void: true, attrs: []attr{
		{"alt", ":" + name + ":"}, {"class", "emoji"}, {"src", source}, {"title", strings.ReplaceAll(name, "_", " ")},
	}}
}

func emojiSpan(name, code string) *span {
	title := strings.ReplaceAll(name, "_", " ")
	return &span{tag: "span", text: ":" + name + ":", attrs: []attr{
		{"aria-label", title}, {"class", "emoji emoji-" + code}, {"role", "img"}, {"title", title},
	}}
}

// unicodeEmoji matches emoji characters.
func (in *inline) unicodeEmoji(s string, _ int) string {
	r := rewriting{in: in, s: s}
	for at := 0; at < len(s); {
		if s[at] < 0x80 && (at+1 == len(s) || s[at+1] < 0x80) {
			at++
			continue
		}
		size, code := sequence(s[at:])
		if code != "" {
			if name, ok := in.emoji.Name(code); ok {
				r.replace(at, at+size, emojiSpan(name, code))
			}
		}
		at += size
	}
	return r.text()
}

const (
	joiner    = 0x200d
	emojiForm = 0xfe0f
	textForm  = 0xfe0e
	keycap    = 0x20e3
)

// sequence parses an emoji sequence at the start of s and returns its code, or "" if there is none.
func sequence(s string) (size int, code string) {
	first, size := utf8.DecodeRuneInString(s)
	picture := unicode.Is(pictures, first)
	var b strings.Builder
	add := func(r rune) {
		if b.Len() > 0 {
			b.WriteByte('-')
		}
		hex := strconv.FormatInt(int64(r), 16)
		b.WriteString("0000"[min(4, len(hex)):])
		b.WriteString(hex)
	}
	add(first)
	flag, joined := regional(first), false
	for size < len(s) {
		r, n := utf8.DecodeRuneInString(s[size:])
		switch {
		case r == emojiForm:
			picture = true
		case r == textForm:
			return size + n, ""
		case r == joiner, 0x1f3fb <= r && r <= 0x1f3ff, 0xe0020 <= r && r <= 0xe007f, r == keycap:
			joined = r == joiner
			picture = picture || r == keycap || joined
			add(r)
		case joined, flag && regional(r):
			joined, flag = false, false
			add(r)
		default:
			if !picture {
				return size, ""
			}
			return size, b.String()
		}
		size += n
	}
	if !picture {
		return size, ""
	}
	return size, b.String()
}

func regional(r rune) bool { return 0x1f1e6 <= r && r <= 0x1f1ff }
