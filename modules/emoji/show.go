package emoji

import (
	"context"
	"strconv"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/emoji"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
)

// shown is an emoji as sent to clients.
type shown struct {
	ID          string   `json:"id" doc:"The ID of the emoji."`
	Name        string   `json:"name"`
	Source      string   `json:"source_url"`
	Still       *string  `json:"still_url"` // null: not animated
	Deactivated bool     `json:"deactivated"`
	Author      *user.ID `json:"author_id"`
}

func show(e *emoji.Custom) shown {
	out := shown{ID: code(e.ID), Name: e.Name, Source: e.Source, Deactivated: e.Deactivated}
	if e.Still != "" {
		out.Still = &e.Still
	}
	if e.Author != 0 {
		out.Author = &e.Author
	}
	return out
}

func code(id emoji.ID) string { return strconv.FormatInt(int64(id), 10) }

func all(v *directory.View) map[string]shown {
	out := map[string]shown{}
	for _, e := range emoji.In(v).All() {
		out[code(e.ID)] = show(e)
	}
	return out
}

type listRes struct {
	Emoji map[string]shown `json:"emoji"`
}

// list handles GET /realm/emoji.
func (s *service) list(ctx context.Context, a kit.Actor, _ kit.None) (listRes, error) {
	v, err := s.Directory.View(ctx, a.Realm)
	if err != nil {
		return listRes{}, err
	}
	return listRes{all(v)}, nil
}

// section is the section of /register and the payload of changedMap.
type section struct {
	Emoji map[string]shown `json:"realm_emoji"`
}

func (s *service) section(ctx context.Context, a kit.Actor, _ event.Client) (section, error) {
	v, err := s.Directory.View(ctx, a.Realm)
	if err != nil {
		return section{}, err
	}
	return section{all(v)}, nil
}

// changedEmoji is the logged payload of a change to a single emoji. The emoji itself is read from the view at delivery.
type changedEmoji struct {
	ID emoji.ID `json:"emoji_id"`
}

// A change is logged as two events: one for clients that replace the whole map, and one for clients that handle single
// changes (individual_emoji_changes).
var (
	changedMap = kit.Event[kit.None]("realm_emoji", "update").Shape(
		func(_ context.Context, v *directory.View, c event.Client, _ *kit.None) (any, bool) {
			if c.IndividualEmoji {
				return nil, false
			}
			return section{all(v)}, true
		}).Sends(section{})
	added = kit.Event[changedEmoji]("realm_emoji", "add").Shape(
		func(_ context.Context, v *directory.View, c event.Client, p *changedEmoji) (any, bool) {
			e := emoji.In(v).Get(p.ID)
			if !c.IndividualEmoji || e == nil {
				return nil, false
			}
			return addedEvent{show(e)}, true
		}).Sends(addedEvent{})
	changedOne = kit.Event[changedEmoji]("realm_emoji", "update_one").Shape(
		func(_ context.Context, v *directory.View, c event.Client, p *changedEmoji) (any, bool) {
			e := emoji.In(v).Get(p.ID)
			if !c.IndividualEmoji || e == nil {
				return nil, false
			}
			return changedEvent{code(e.ID), state{e.Deactivated}}, true
		}).Sends(changedEvent{})
)

type addedEvent struct {
	Emoji shown `json:"emoji"`
}

type changedEvent struct {
	ID   string `json:"emoji_id"`
	Data state  `json:"data"`
}

// state holds the properties of an emoji that can change.
type state struct {
	Deactivated bool `json:"deactivated"`
}
