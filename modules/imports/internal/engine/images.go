package engine

import (
	"context"
	"errors"
	"io"

	"github.com/stoachat/stoa/domain/emoji"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/importing"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/imports/internal/store"
)

// The kinds of keys of images.
const (
	emojiTable  = "custom_emoji"
	avatarsKind = "avatars"
)

// planImages notes the avatars of people.
func (t *task) planImages() {
	for i := range t.scan.People {
		if p := &t.scan.People[i]; p.Avatar != nil {
			t.scan.Avatars = append(t.scan.Avatars, importing.Avatar{Person: p.Key, Image: p.Avatar})
		}
	}
	for i := range t.scan.Emoji {
		t.number(emojiTable, t.scan.Emoji[i].Key)
	}
}

// writeImages stores the custom emoji and avatars that are not known. Bad images are counted.
func (t *task) writeImages(ctx context.Context) error {
	by := user.Actor{Realm: t.realm, System: true}
	known, err := t.Store.All(ctx, t.realm, emojiTable)
	if err != nil {
		return err
	}
	t.ids[emojiTable] = map[int64]int64{}
	for i := range t.scan.Emoji {
		e := &t.scan.Emoji[i]
		at, ok := known[e.Key]
		if !ok {
			if at.ID, err = t.writeEmoji(ctx, by, e); err != nil {
				return err
			}
		}
		if at.ID != 0 {
			t.report.Passed(importing.Emojis, e.Loss)
			t.ids[emojiTable][t.number(emojiTable, e.Key)] = at.ID
		}
		t.meter.add(1, 0)
	}
	if known, err = t.Store.All(ctx, t.realm, avatarsKind); err != nil {
		return err
	}
	for _, a := range t.scan.Avatars {
		_, ok := known[a.Person]
		if !ok {
			if ok, err = t.writeAvatar(ctx, by, a); err != nil {
				return err
			}
		}
		if ok {
			t.report.Passed(importing.Avatars, nil)
		}
		t.meter.add(1, 0)
	}
	return nil
}

// writeEmoji stores a custom emoji and returns its ID, or 0 if its image is bad.
func (t *task) writeEmoji(ctx context.Context, by user.Actor, e *importing.Emoji) (int64, error) {
	name, err := emoji.CheckName(e.Name)
	if err != nil || e.Image == nil {
		t.report.Count(importing.Emojis, importing.Refused, "has no valid name or no image", e.Name)
		return 0, nil //nolint:nilerr // it is counted
	}
	author, ok := t.id(usersTable, t.person(e.Author))
	if !ok {
		if author, err = t.anyOwner(ctx); err != nil {
			return 0, err
		}
	}
	var add emoji.Add
	ok, err = t.image(ctx, importing.Emojis, e.Name, e.Image, func(body io.Reader) (found bool, err error) {
		add, found, err = t.Emojis.Ask(ctx, emoji.Uploaded{By: by, File: body})
		return found, err
	})
	if !ok || err != nil {
		return 0, err
	}
	var id emoji.ID
	return int64(id), t.Work.Do(ctx, func(ctx context.Context) error {
		one := &emoji.Custom{Name: name, Author: user.ID(author), Deactivated: e.Inactive}
		if err := add(ctx, one); err != nil {
			return err
		}
		id = one.ID
		return t.Store.Add(ctx, store.Key{Realm: t.realm, Kind: emojiTable, Key: e.Key, ID: int64(id)})
	})
}

// writeAvatar stores an avatar, and reports whether it could.
func (t *task) writeAvatar(ctx context.Context, by user.Actor, a importing.Avatar) (bool, error) {
	u, ok := t.id(usersTable, t.person(a.Person))
	if !ok {
		t.report.Count(importing.Avatars, importing.Skipped, "of somebody who was not imported", string(a.Person))
		return false, nil
	}
	var set user.SetAvatar
	ok, err := t.image(ctx, importing.Avatars, string(a.Person), a.Image, func(body io.Reader) (found bool, err error) {
		set, found, err = t.Avatars.Ask(ctx, user.UploadedAvatar{By: by, File: body})
		return found, err
	})
	if !ok || err != nil {
		return false, err
	}
	return true, t.Work.Do(ctx, func(ctx context.Context) error {
		if err := set(ctx, user.ID(u)); err != nil {
			return err
		}
		return t.Store.Add(ctx, store.Key{Realm: t.realm, Kind: avatarsKind, Key: a.Person, ID: u})
	})
}

// image passes an image to the module that stores it, and reports whether it was stored. If not, the report says so.
func (t *task) image(
	ctx context.Context, kind importing.Kind, of string, f *importing.File, put func(io.Reader) (bool, error),
) (bool, error) {
	content, err := t.source.Open(ctx, f)
	if reason := lacking(f, err); reason != "" {
		if !importing.Remote(f) {
			reason = "its image is missing in the archive"
		}
		t.report.Count(kind, importing.Refused, reason, of)
		return false, nil
	}
	if err != nil {
		return false, err
	}
	found, err := put(content)
	switch {
	case errs.Is(err, errs.BadImage):
		t.report.Count(kind, importing.Refused, "its image cannot be read", of)
	case err == nil && !found:
		t.report.Count(kind, importing.Skipped, "this server has no module that stores it", of)
	default:
		return err == nil, errors.Join(err, content.Close())
	}
	return false, content.Close()
}
