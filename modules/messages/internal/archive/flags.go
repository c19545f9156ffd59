package archive

import (
	"context"

	"github.com/stoachat/stoa/domain/export"
	"github.com/stoachat/stoa/domain/idset"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/messages/internal/store"
)

// Maximum size of a page.
const (
	usersPerPage = 20   // users
	flagsPerPage = 1000 // flag rows
)

type flagsLine struct {
	User    user.ID    `json:"user_id"`
	Message message.ID `json:"message_id"`
	Flags   []string   `json:"flags"`
}

// flags returns a page of message flags, for users whose private data is exported.
func (s *Service) flags(ctx context.Context, x *export.Scope, after string) (export.Page, error) {
	var at store.Flagged
	if err := decodeCursor(after, &at); err != nil {
		return export.Page{}, err
	}
	us := privateUsers(x, max(0, at.User-1))
	if len(us) == 0 {
		return export.Page{}, nil
	}
	found, err := s.Store.Exports.Flags(ctx, us, at, flagsPerPage)
	page := export.Page{Next: encodeCursor(store.Flagged{User: us[len(us)-1] + 1})}
	if len(found) == flagsPerPage {
		page.Next = encodeCursor(found[flagsPerPage-1])
	}
	for _, f := range found {
		if names := message.FlagNames(f.Flags, 0, false, false); len(names) > 0 {
			page.Lines = append(page.Lines, flagsLine{f.User, f.Message, names})
		}
	}
	return page, err
}

type unreadLine struct {
	User   user.ID               `json:"user_id"`
	Unread idset.Set[message.ID] `json:"unread"`
}

// unread returns a page of unread messages, for users whose private data is exported.
func (s *Service) unread(ctx context.Context, x *export.Scope, after string) (export.Page, error) {
	var at user.ID
	if err := decodeCursor(after, &at); err != nil {
		return export.Page{}, err
	}
	us := privateUsers(x, at)
	if len(us) == 0 {
		return export.Page{}, nil
	}
	page := export.Page{Next: encodeCursor(us[len(us)-1])}
	for _, u := range us {
		ids, err := s.States.Unread(ctx, x.View, u, nil)
		if err != nil {
			return export.Page{}, err
		}
		page.Lines = append(page.Lines, unreadLine{u, ids})
	}
	return page, nil
}

// privateUsers returns the next users whose private data is exported, ascending by ID.
func privateUsers(x *export.Scope, after user.ID) []user.ID {
	if x.NobodyConsents() {
		return nil
	}
	var out []user.ID
	for u := range x.View.Users() {
		if u.ID > after && !u.IsBot() && x.Private(u.ID) {
			if out = append(out, u.ID); len(out) == usersPerPage {
				break
			}
		}
	}
	return out
}
