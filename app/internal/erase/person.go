package erase

import (
	"context"
	"fmt"
	"maps"
	"strconv"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

// Person erases the data of a person. What that means for each table is declared with the table (kit.Table).
type Person struct {
	Store     *bunstore.DB
	Work      ports.UnitOfWork
	Directory ports.Directory
	Hooks     ports.Hooks
	Accounts  ports.Accounts
	Logs      Logs
	Collected *kit.Collected
}

// Command returns the command that erases a person.
func (p *Person) Command() kit.Command {
	return kit.Confirm(kit.NewCommand("user erase", p.erase,
		"Erase the data of a person and of their bots for good, and their messages if you want."), p.wouldErase)
}

type flags struct {
	Email    string `arg:"" placeholder:"EMAIL" help:"Email address of the account. An interrupted erasure continues when it is repeated, and erases nothing twice."`
	Messages string `default:"keep" enum:"keep,delete" help:"keep: messages, the files in them, reactions and votes remain, as those of 'Deleted user'. delete: all messages, with their files and former texts, and votes are deleted; only reactions remain. In both cases the name disappears from mentions of the person. What anyone has written about the person without a mention remains, such as a name in the text or the topic of a message, and so do channels, groups, emoji and other things that the person has created for the organization."`
}

func (f flags) deletes() user.Deletion {
	all := f.Messages == "delete"
	return user.Deletion{Profile: true, PublicChannels: all, PrivateChannels: all, DirectMessages: all}
}

// find returns the view, the person and their bots, with the person last. Errors: NotFound, PermissionDenied.
func (p *Person) find(ctx context.Context, a kit.Actor, f flags) (*directory.View, []*user.User, error) {
	v, u, err := kit.UserFlag{Email: f.Email}.Find(ctx, p.Directory, a.Realm)
	switch {
	case err != nil:
		return nil, nil, err
	case u.System:
		return nil, nil, errs.New(errs.PermissionDenied, "%s is a bot of the server", u.DeliveryEmail)
	case permission.LastOwner(v, u):
		return nil, nil, errs.New(errs.PermissionDenied, "%s is the only owner of the organization; make somebody else an "+
			"owner first, with stoa user role", u.DeliveryEmail)
	}
	var all []*user.User
	for b := range v.Users() {
		if b.BotOwner == u.ID && !b.System {
			all = append(all, b)
		}
	}
	return v, append(all, u), nil
}

func (p *Person) wouldErase(ctx context.Context, a kit.Actor, in flags) (kit.Effect, error) {
	_, all, err := p.find(ctx, a, in)
	if err != nil {
		return kit.Effect{}, err
	}
	counts := map[string]int{"bots": len(all) - 1}
	rows := 0
	for _, u := range all {
		err := p.each(u, func(t kit.Table, column string, values any) error {
			n, err := store{p.Store}.count(ctx, t, a.Realm, column, values)
			if n > 0 {
				counts[t.Name] += n
				rows += n
			}
			return err
		})
		if err != nil {
			return kit.Effect{}, err
		}
	}
	u := all[len(all)-1]
	text := fmt.Sprintf("erase the data of user %d %s and of %d bots for good: profile, keys, sessions, %d rows in %d "+
		"tables, all exports of the organization and the log of events", u.ID, u.DeliveryEmail, len(all)-1, rows,
		len(counts)-1)
	if in.Messages == "delete" {
		text += ", and delete all messages that they have sent"
	} else {
		text += "; their messages remain"
	}
	return kit.Effect{Text: text + "; backups cannot be erased", Counts: counts}, nil
}

// erased is the output of the command.
type erased struct {
	ID       user.ID        `json:"user_id"`
	Address  string         `json:"email"` // the new one
	Bots     int            `json:"bots"`
	Messages string         `json:"messages"`
	Rows     map[string]int `json:"rows"` // deleted ones, by table
}

func (e erased) String() string {
	n := 0
	for rows := range maps.Values(e.Rows) {
		n += rows
	}
	what := "Their messages remain, as those of a deleted user."
	if e.Messages == "delete" {
		what = "Their messages were deleted."
	}
	return fmt.Sprintf("Erased the data of user %d and of %d bots: %d rows in %d tables. %s\n"+
		"The address of the account is now %s.\n"+
		"Backups, downloaded exports and log files still contain the data: delete them, or let them expire. After a restore "+
		"of such a backup, erase the data again.", e.ID, e.Bots, n, len(e.Rows), what, e.Address)
}

// erase erases a person in steps with transactions of their own, each of which can be repeated. The address goes last,
// because it identifies the account when the command is repeated.
func (p *Person) erase(ctx context.Context, a kit.Actor, in flags) (erased, error) {
	_, all, err := p.find(ctx, a, in)
	if err != nil {
		return erased{}, err
	}
	u := all[len(all)-1]
	if err := p.Accounts.Delete(ctx, a, u.ID, in.deletes()); err != nil { // also of the bots
		return erased{}, err
	}
	out := erased{
		ID: u.ID, Address: user.ErasedEmail(u.ID), Bots: len(all) - 1, Messages: in.Messages, Rows: map[string]int{},
	}
	for _, one := range all {
		m := &user.Erasing{Realm: a.Realm, By: a, User: one, Messages: in.Messages == "delete"}
		if err := p.Hooks.Run(ctx, m); err != nil {
			return erased{}, err
		}
	}
	for _, one := range all {
		if err := p.deleteRows(ctx, a.Realm, one, out.Rows); err != nil {
			return erased{}, err
		}
		if err := p.Accounts.Anonymize(ctx, a, one.ID); err != nil {
			return erased{}, err
		}
	}
	for more := true; more; {
		more, err = kit.Tx(ctx, p.Work, func(ctx context.Context) (bool, error) { return p.Logs.Shorten(ctx, a.Realm) })
		if err != nil {
			return erased{}, err
		}
	}
	return out, nil
}

// deleteRows deletes the rows that belong to a user, and counts them by table.
func (p *Person) deleteRows(ctx context.Context, r realm.ID, u *user.User, counts map[string]int) error {
	return p.each(u, func(t kit.Table, column string, values any) error {
		n, err := kit.Tx(ctx, p.Work, func(ctx context.Context) (int, error) {
			return store{p.Store}.deleteOf(ctx, t, r, column, values)
		})
		if n > 0 {
			counts[t.Name] += n
		}
		return err
	})
}

// each calls fn with each column that declares whose row it is, and with its values in the rows of a user.
func (p *Person) each(u *user.User, fn func(t kit.Table, column string, values any) error) error {
	email := u.DeliveryEmail
	addresses := []string{strconv.FormatInt(int64(u.ID), 10), email, user.EmailKey(email)}
	for _, t := range p.Collected.Tables() {
		for _, n := range t.People {
			var err error
			switch n.Erased {
			case kit.EraseRow:
				err = fn(t, n.Column, []user.ID{u.ID})
			case kit.EraseAddress:
				err = fn(t, n.Column, addresses)
			}
			if err != nil {
				return fmt.Errorf("%s: %w", t.Name, err)
			}
		}
	}
	return nil
}
