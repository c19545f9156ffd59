package exports

import (
	"archive/zip"
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"

	"github.com/stoachat/stoa/domain/audit"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/export"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/plainjson"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
)

type personFlags struct {
	Email   string `arg:"" placeholder:"EMAIL" help:"Email address of the account."`
	Context bool   `help:"Include what others wrote in direct messages with the user."`
}

// person writes an archive of one user's data: a file NAME.jsonl per table, and the uploaded files.
func (s *service) person(ctx context.Context, a kit.Actor, in personFlags, to io.Writer) error {
	v, err := s.Directory.Verified(ctx, a.Realm)
	if err != nil {
		return err
	}
	u := v.UserByEmail(in.Email)
	if u == nil || u.System {
		return errs.Absent("there is no account with the address %s", in.Email)
	}
	err = s.Audit.Record(ctx, audit.Fact{
		Realm: a.Realm, Action: audit.UserExported, Target: audit.To(audit.User, u.ID),
		New: audit.Values{"context": in.Context},
	})
	if err != nil {
		return err
	}
	p := &personal{service: s, view: v, user: u, context: in.Context, zip: zip.NewWriter(to)}
	scope := export.ScopeOf(v, export.WithoutConsent, s.Clock.Now())
	for _, one := range s.sections() {
		if err := p.section(ctx, scope, one); err != nil {
			return err
		}
	}
	parts, err := s.About.Ask(ctx, export.AboutUser{Realm: a.Realm, User: u.ID})
	if err != nil {
		return err
	}
	for _, part := range append(parts, export.Part{Name: "reactions", Lines: p.reactions}) {
		if err := p.part(part); err != nil {
			return err
		}
	}
	for _, f := range p.files {
		if err := p.file(ctx, f); err != nil {
			return err
		}
	}
	return p.zip.Close()
}

// personal is an archive that is being written.
type personal struct {
	*service
	view      *directory.View
	user      *user.User
	context   bool
	zip       *zip.Writer
	files     []export.File
	reactions []any
}

// owned holds the keys of lines that say whose they are.
type owned struct {
	ID        int64             `json:"id"`
	User      user.ID           `json:"user_id"`
	Owner     user.ID           `json:"owner_id"`
	BotOwner  user.ID           `json:"bot_owner"`
	Sender    user.ID           `json:"sender_id"`
	People    []user.ID         `json:"user_ids"`
	Address   string            `json:"address"`
	File      string            `json:"file"`
	Reactions []json.RawMessage `json:"reactions"`
}

// section writes the lines of a table that belong to the user.
func (p *personal) section(ctx context.Context, scope *export.Scope, one section) error {
	var to io.Writer
	for after := ""; ; {
		page, err := one.page(ctx, scope, after)
		if err != nil {
			return err
		}
		for _, line := range page.Lines {
			text, of, err := read(line)
			if err != nil {
				return err
			}
			p.collectReactions(of)
			if !p.owns(one.name, of) {
				continue
			}
			if to == nil {
				if to, err = p.zip.Create(one.name + ".jsonl"); err != nil {
					return err
				}
			}
			if _, err := to.Write(append(text, '\n')); err != nil {
				return err
			}
			for _, f := range page.Files {
				if f.Name() == of.File {
					p.files = append(p.files, f)
				}
			}
		}
		if after = page.Next; after == "" {
			return nil
		}
	}
}

// read returns the JSON of a line, and whose it is. Tables in which a key means something else have no owner.
func read(line any) ([]byte, owned, error) {
	text, err := plainjson.Marshal(line)
	if err != nil {
		return nil, owned{}, err
	}
	var of owned
	if json.Unmarshal(text, &of) != nil {
		of = owned{}
	}
	return text, of, nil
}

// collectReactions keeps the user's reactions to a message.
func (p *personal) collectReactions(of owned) {
	for _, text := range of.Reactions {
		var r message.Reaction
		if json.Unmarshal(text, &r) == nil && r.User == p.user.ID {
			p.reactions = append(p.reactions, map[string]any{"message_id": of.ID, "reaction": text})
		}
	}
}

// owns reports whether a line of a table belongs to the user.
func (p *personal) owns(table string, of owned) bool {
	me := p.user.ID
	switch table {
	case "users":
		return user.ID(of.ID) == me || of.BotOwner == me
	case "messages":
		return of.Sender == me || p.context && slices.Contains(of.People, me)
	case "pictures":
		return p.user.Avatar != "" && of.Address == p.user.Avatar
	}
	return of.User == me || of.Owner == me
}

// part writes the lines of a part.
func (p *personal) part(part export.Part) error {
	if len(part.Lines) == 0 {
		return nil
	}
	to, err := p.zip.Create(part.Name + ".jsonl")
	if err != nil {
		return err
	}
	for _, line := range part.Lines {
		text, err := plainjson.Marshal(line)
		if err != nil {
			return err
		}
		if _, err := to.Write(append(text, '\n')); err != nil {
			return err
		}
	}
	return nil
}

// file copies a stored file, unless it is missing.
func (p *personal) file(ctx context.Context, f export.File) error {
	from, _, err := p.Blobs.Open(ctx, f.Key, 0, -1)
	if errs.Is(err, errs.NotFound) {
		p.Logger.Warn("a file is missing in an export", "user", p.user.ID, "key", f.Key)
		return nil
	}
	if err != nil {
		return err
	}
	to, err := p.zip.Create(f.Name())
	if err == nil {
		_, err = io.Copy(to, from)
	}
	return errors.Join(err, from.Close())
}
