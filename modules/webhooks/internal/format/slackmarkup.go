package format

import (
	"cmp"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Conversion of mrkdwn, Slack's markup, to Markdown.

var (
	slackCode      = regexp.MustCompile("(?s)```.*?```|`[^`\n]+`")
	slackLink      = regexp.MustCompile(`<((?:https?://|mailto:|tel:)[^<>|\s]+)(?:\|([^<>]*))?>`)
	slackReference = regexp.MustCompile(`<([@#!])([^<>|\s][^<>|]*)(?:\|([^<>]*))?>`)
	slackBold      = regexp.MustCompile(`(^|[\s(\["'>:,;.!?|/_~-])\*([^\s*](?:[^*\n]*[^\s*])?)\*`)
	slackItalic    = regexp.MustCompile(`(^|[\s(\["'>:,;.!?|*~-])_([^\s_](?:[^_\n]*[^\s_])?)_`)
	slackStrike    = regexp.MustCompile(`(^|[\s(\["'>:,;.!?|*_-])~([^\s~](?:[^~\n]*[^\s~])?)~`)
	slackEntities  = strings.NewReplacer("&lt;", "<", "&gt;", ">", "&amp;", "&")
)

// maxMarkup is the maximum length of a text that is converted, in code points. A message is shorter.
const maxMarkup = 20000

// slackMarkdown converts Slack's markup to Markdown. It leaves code unchanged.
func slackMarkdown(text string) string {
	text = truncate(text, maxMarkup)
	var b strings.Builder
	at := 0
	for _, m := range slackCode.FindAllStringIndex(text, -1) {
		b.WriteString(slackProse(text[at:m[0]]))
		at = m[1]
		block, ok := strings.CutPrefix(text[m[0]:m[1]], "```")
		if !ok {
			b.WriteString(text[m[0]:m[1]])
			continue
		}
		// The marks need not be on lines of their own.
		if m[0] > 0 && text[m[0]-1] != '\n' {
			b.WriteString("\n")
		}
		b.WriteString("```\n" + strings.Trim(strings.TrimSuffix(block, "```"), "\n") + "\n```")
		if at < len(text) && text[at] != '\n' {
			b.WriteString("\n")
		}
	}
	b.WriteString(slackProse(text[at:]))
	return slackEntities.Replace(b.String())
}

func slackProse(text string) string {
	text = slackLink.ReplaceAllStringFunc(text, func(l string) string {
		m := slackLink.FindStringSubmatch(l)
		switch {
		case strings.HasPrefix(m[1], "http") && m[2] != "":
			return link(m[2], m[1])
		case strings.HasPrefix(m[1], "http"):
			return m[1]
		case m[2] != "":
			return m[2]
		}
		_, address, _ := strings.Cut(m[1], ":")
		return address
	})
	text = slackReference.ReplaceAllStringFunc(text, func(r string) string {
		m := slackReference.FindStringSubmatch(r)
		return slackReferenceText(m[1], m[2], m[3])
	})
	text = marked(slackBold, text, "**")
	text = marked(slackItalic, text, "*")
	return marked(slackStrike, text, "~~")
}

// slackReferenceText formats a reference to a user, channel or group, or a date. Such references notify nobody: the
// names belong to another organization.
func slackReferenceText(kind, target, label string) string {
	if kind != "!" {
		return kind + strings.TrimLeft(cmp.Or(label, target), "@#")
	}
	name, rest, _ := strings.Cut(target, "^")
	switch name {
	case "date":
		seconds, _, _ := strings.Cut(rest, "^")
		if n, err := strconv.ParseInt(seconds, 10, 64); err == nil && n > 0 {
			return timeTag(n)
		}
		return label
	case "subteam":
		return "@" + strings.TrimLeft(cmp.Or(label, rest), "@")
	}
	return "@" + strings.TrimLeft(cmp.Or(label, target), "@")
}

// marked replaces the marks around the second group of each match that ends at a boundary of a word.
func marked(re *regexp.Regexp, text, mark string) string {
	var b strings.Builder
	at := 0
	for _, m := range re.FindAllStringSubmatchIndex(text, -1) {
		next, _ := utf8.DecodeRuneInString(text[m[1]:])
		if unicode.IsLetter(next) || unicode.IsDigit(next) {
			continue
		}
		b.WriteString(text[at:m[3]] + mark + text[m[4]:m[5]] + mark)
		at = m[1]
	}
	b.WriteString(text[at:])
	return b.String()
}
