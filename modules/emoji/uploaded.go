package emoji

import (
	"context"
	"fmt"
	"io"

	"github.com/stoachat/stoa/domain/emoji"
	"github.com/stoachat/stoa/domain/picture"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/modules/kit"
)

// side is the width and height of an emoji in pixels.
const side = 64

// store stores the image of an emoji, and returns the paths of the image and, if it is animated, of one that is not. It
// must not be called inside Do. Errors: BadImage, Unavailable.
func (s *service) store(ctx context.Context, r realm.ID, upload io.Reader) ([]string, error) {
	made, err := s.Images.Make(ctx, upload,
		picture.Shape{Width: side, Height: side, Animated: true}, picture.Shape{Width: side, Height: side, Suffix: "-still"})
	if err != nil {
		return nil, err
	}
	if !made[0].Animated {
		made = made[:1]
	}
	return s.ImageStore.Put(ctx, r, "emoji/images", made...)
}

// uploaded answers the question emoji.Uploaded.
func (s *service) uploaded(ctx context.Context, q emoji.Uploaded) (emoji.Add, error) {
	paths, err := s.store(ctx, q.By.Realm, q.File)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, e *emoji.Custom) error {
		v, err := s.Directory.View(ctx, q.By.Realm)
		if err != nil {
			return err
		}
		base := e.Name
		for n := 2; !e.Deactivated && emoji.In(v).Named(e.Name) != nil; n++ {
			e.Name = fmt.Sprintf("%s_%d", base, n)
		}
		return s.insert(ctx, q.By, e, paths)
	}, nil
}

// insert adds an emoji with stored images.
func (s *service) insert(ctx context.Context, by kit.Actor, e *emoji.Custom, paths []string) error {
	e.Source = paths[0]
	if len(paths) > 1 {
		e.Still = paths[1]
	}
	if err := s.ImageStore.Claim(ctx, paths...); err != nil {
		return err
	}
	if err := s.rows.Insert(ctx, by.Realm, e); err != nil {
		return err
	}
	return s.publish(ctx, by, added, nil, e)
}
