package slack

import (
	"strings"

	"github.com/stoachat/stoa/domain/importing"
)

// bot returns the ID of the app that wrote a message, or one made of the name that it gave itself.
func (m *message) bot() string {
	if m.BotID != "" {
		return m.BotID.s()
	}
	if name := strings.ToLower(strings.Join(strings.Fields(m.Username.s()), "-")); name != "" {
		return "bot:" + name
	}
	return ""
}

// author returns who wrote a message, and the name by which a placeholder is known.
func (s *source) author(m *message) (importing.Key, string) {
	bot := m.bot()
	switch {
	case m.User != "":
		return importing.Key(m.User), m.UserProfile.get().any()
	case s.bots[bot] != "" && bot != "":
		return importing.Key(s.bots[bot]), m.botName(s)
	case bot != "":
		return importing.Key(bot), m.botName(s)
	case m.File.get().User != "":
		return importing.Key(m.File.get().User), ""
	case m.Comment.get().User != "":
		return importing.Key(m.Comment.get().User), ""
	}
	return somebody, "Somebody"
}

func (m *message) botName(s *source) string {
	return first(m.BotProfile.get().Name.s(), s.appNames[m.BotID.s()], m.Username.s())
}

// via returns the name under which an app wrote a message, if it differs from the app's.
func (s *source) via(m *message, author importing.Key) string {
	name := m.Username.s()
	known := s.appNames[string(author)]
	if p := s.people[string(author)]; p != nil {
		known = p.name()
	}
	if m.User != "" || name == "" || known == "" || strings.EqualFold(name, known) {
		return ""
	}
	return name
}

// set returns the emoji of the workspace.
func (s *source) set() emojiSet { return emojiSet{unicode: s.EmojiCode, custom: s.emoji} }

// converter returns a converter that knows the people and channels of the export.
func (s *source) converter() *converter {
	return &converter{
		emoji: s.set(),
		person: func(id string) string {
			if p := s.people[id]; p != nil {
				return p.name()
			}
			return ""
		},
		channel: func(id string) (string, bool, bool) {
			c := s.byID[id]
			if c == nil {
				return "", false, false
			}
			return c.Name.s(), c.direct, true
		},
	}
}
