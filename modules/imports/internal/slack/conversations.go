package slack

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/importing"
)

// placeholders are the dates before which no channel was created: exports contain 0 or 1 instead of unknown ones.
var placeholders = time.Date(2013, 1, 1, 0, 0, 0, 0, time.UTC)

// conversation is a channel or a direct conversation.
type conversation struct {
	ID, Name, Creator text
	Created           number
	Archived          flag       `json:"is_archived"`
	General           flag       `json:"is_general"`
	Members           list[text] `json:"members"`
	Topic, Purpose    object[struct{ Value text }]
	Pins              list[pin] `json:"pins"`

	base            string // the folder of its list
	private, direct bool
	days            []string // files with its messages

	threads     map[string]*thread  // by the time of their first messages
	pinned      map[string]bool     // times of messages
	changed     map[string]*message // what replaces messages, by time
	deleted     map[string]bool
	first, last time.Time
}

type pin struct{ ID, Type text }

// readConversations reads the lists of conversations.
func (s *source) readConversations(ctx context.Context) error {
	for _, base := range s.bases {
		for _, kind := range kinds {
			err := s.list(ctx, base+kind.file, importing.Channels, func(element []byte) error {
				c := &conversation{
					base: base, private: kind.private, direct: kind.direct, threads: map[string]*thread{},
					pinned: map[string]bool{}, changed: map[string]*message{}, deleted: map[string]bool{},
				}
				if err := importing.Decode(element, c); err != nil {
					return err
				}
				if c.ID == "" || strings.ContainsAny(c.ID.s(), "/\x00") {
					return errors.New("a channel without an ID")
				}
				if s.byID[c.ID.s()] != nil {
					return nil // shared by the workspaces of an organization
				}
				s.byID[c.ID.s()] = c
				s.conversations = append(s.conversations, c)
				return nil
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// key returns the key of a channel.
func (c *conversation) key() importing.Key { return importing.Key(c.ID) }

// people returns the participants of a direct conversation.
func (c *conversation) people() []importing.Key {
	var out []importing.Key
	for _, m := range c.Members {
		if m != "" {
			out = append(out, importing.Key(m))
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// selected reports whether the messages of a conversation are in the scope of the import.
func (s *source) selected(c *conversation) bool {
	if c.direct {
		return !s.Options.NoDirect
	}
	return s.Options.Channels == nil || slices.Contains(s.Options.Channels, c.Name.s())
}

// describeConversations adds channels and subscriptions.
func (s *source) describeConversations(d *importing.Directory) {
	for _, c := range s.conversations {
		if c.direct {
			continue
		}
		one := importing.Channel{
			Key: c.key(), Name: c.Name.s(), Creator: importing.Key(c.Creator), Private: c.private, Archived: bool(c.Archived),
			Default: bool(c.General), Created: c.first,
		}
		if at := time.Unix(int64(c.Created), 0).UTC(); at.After(placeholders) && at.Before(s.Now) {
			one.Created = at
		}
		var rest string
		one.Description, rest = importing.Describe(channel.MaxDescription, entities.Replace(c.Purpose.get().Value.s()),
			entities.Replace(c.Topic.get().Value.s()))
		if rest != "" {
			one.Loss = &importing.Loss{
				Reason: "its purpose and topic are longer than a description can be", Where: "#" + c.Name.s() + ": … " + rest,
			}
		}
		if c.General {
			d.Realm.Announce = c.key()
		}
		d.Channels = append(d.Channels, one)
		for _, m := range c.Members {
			d.Subscriptions = append(d.Subscriptions, importing.Subscription{Person: importing.Key(m), Channel: c.key()})
		}
	}
}
