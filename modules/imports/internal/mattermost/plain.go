package mattermost

import (
	"regexp"
	"strings"

	"github.com/stoachat/stoa/domain/importing"
)

var (
	linked  = regexp.MustCompile(`!?\[([^\[\]\n]{0,300})\]\([^()\n]{0,300}\)`)
	leading = regexp.MustCompile(`^\s*(?:#{1,6}\s+|>\s*|[-*+]\s+|\d+[.)]\s+)*`)
	marks   = strings.NewReplacer("**", "", "__", "", "~~", "", "`", "")
	named   = regexp.MustCompile(`@[A-Za-z0-9._-]+`)
)

// plain returns the first line of a text without markup, with the names of people who are mentioned.
func (s *source) plain(text string) string {
	for line := range strings.SplitSeq(importing.CleanText(text), "\n") {
		line = linked.ReplaceAllString(leading.ReplaceAllString(line, ""), "$1")
		line = named.ReplaceAllStringFunc(marks.Replace(line), func(m string) string {
			k := personKey(strings.TrimRight(m[1:], "._-"))
			if u := s.users[k]; u != nil {
				return "@" + importing.CleanText(u.name()) + m[1+len(k):]
			}
			return m
		})
		if strings.TrimSpace(line) != "" {
			return line
		}
	}
	return ""
}
