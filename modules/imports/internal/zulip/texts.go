package zulip

import (
	"regexp"
	"strings"

	"github.com/stoachat/stoa/domain/importing"
)

// texts converts texts, which are written as here, but contain the names and IDs of the other server.
type texts struct {
	people, groups, channels map[string]importing.Key // by name; "" for a name that several have
	paths                    map[string]bool
	lost                     int // number of links to files that are not in the archive
}

func (s *source) newTexts() *texts {
	t := &texts{
		people: map[string]importing.Key{}, groups: map[string]importing.Key{}, channels: map[string]importing.Key{},
		paths: s.paths,
	}
	for _, u := range s.users {
		if _, twice := t.people[u.Name]; twice {
			t.people[u.Name] = ""
		} else {
			t.people[u.Name] = key(u.ID)
		}
	}
	for _, c := range s.streams {
		t.channels[c.Name] = key(c.ID)
	}
	for _, g := range s.groups {
		name := g.Name
		if name == "" {
			name = s.named[g.ID].Name
		}
		if !g.System && !s.named[g.ID].System && name != "" {
			t.groups[name] = groupKey(g.ID)
		}
	}
	return t
}

// What has another name or ID here.
var (
	userMention  = regexp.MustCompile(`@(_?)\*\*([^*|\n]+)(?:\|(\d+))?\*\*`)
	groupMention = regexp.MustCompile(`@_?\*([^*\n]+)\*`)
	channelRef   = regexp.MustCompile(`#\*\*([^*>\n]+)(?:>([^*\n]*?))?(?:@(\d+))?\*\*`)
	narrowLink   = regexp.MustCompile(`\[([^\[\]\n]*)\]\((?:https?://[^/\s()]+)?/?#narrow/[^\s()]+/(?:near|with)/(\d+)\)`)
	narrowURL    = regexp.MustCompile(`(?:https?://[^/\s()]+/)?/?#narrow/[^\s()\[\]]+/(?:near|with)/(\d+)`)
	upload       = regexp.MustCompile(`(?:https?://[^/\s()]+)?/user_uploads/(?:thumbnail/)?(\d+/[^\s)\]"'<>?#]+)`)
)

// convert replaces what has another name or ID here by references.
func (t *texts) convert(text string) string {
	text = importing.CleanText(text)
	replace := func(re *regexp.Regexp, with func(match string, groups []string) string) {
		parts := strings.Split(text, "\x00") // every other one is a reference
		for i := 0; i < len(parts); i += 2 {
			parts[i] = re.ReplaceAllStringFunc(parts[i], func(m string) string { return with(m, re.FindStringSubmatch(m)) })
		}
		text = strings.Join(parts, "\x00")
	}
	replace(upload, t.file)
	replace(narrowLink, func(m string, g []string) string {
		return g[1] + " (" + importing.MessageLink(importing.Key(g[2]), m) + ")"
	})
	replace(narrowURL, func(m string, g []string) string {
		return importing.MessageLink(importing.Key(g[1]), m)
	})
	replace(channelRef, t.channel)
	replace(userMention, t.person)
	replace(groupMention, func(m string, g []string) string {
		if k := t.groups[g[1]]; k != "" {
			return importing.GroupMention(k, m)
		}
		return m
	})
	return text
}

func (t *texts) file(m string, g []string) string {
	path := strings.TrimRight(g[1], ".,;:!")
	for _, name := range []string{g[1], path} {
		if t.paths[name] {
			return importing.FileLink(importing.Key(name), m) + strings.TrimPrefix(g[1], name)
		}
	}
	t.lost++
	return m
}

func (t *texts) person(m string, g []string) string {
	k := importing.Key(g[3])
	if k == "" {
		k = t.people[g[2]]
	}
	switch {
	case k == "":
		return m
	case g[1] != "":
		return importing.SilentMention(k, m)
	}
	return importing.Mention(k, m)
}

func (t *texts) channel(m string, g []string) string {
	k := t.channels[g[1]]
	switch {
	case g[3] != "":
		return importing.MessageLink(importing.Key(g[3]), m)
	case k == "":
		return m
	case strings.Contains(m, ">"):
		return importing.TopicLink(k, g[2], m)
	}
	return importing.ChannelLink(k, m)
}
