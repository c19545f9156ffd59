package avatars

import (
	"context"
	"io"
	"strconv"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/picture"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

// Module manages users' pictures.
var Module = kit.Define("avatars", "Users' avatars.", kit.None{}, wire)

type needs struct {
	fx.In
	Work       ports.UnitOfWork
	Directory  ports.Directory
	Images     ports.Images
	ImageStore ports.ImageStore
	Settings   ports.UserSettings
}

type service struct{ needs }

func wire(_ kit.None, n needs) (kit.Parts, error) {
	s := &service{n}
	return kit.Parts{
		Endpoints: []kit.Endpoint{
			kit.POST("/users/me/avatar", kit.Users, s.set, "Sets the caller's avatar.").Operation("setOwnAvatar").
				Upload(picture.MaxUpload),
			kit.DELETE("/users/me/avatar", kit.Users, s.reset, "Removes the caller's uploaded avatar."),
			kit.GET("/avatar/:user", kit.Spectators, s.small, "Redirects to a user's avatar, by ID or email.").
				AtRoot().
				Rate(kit.RateFiles),
			kit.GET("/avatar/:user/medium", kit.Spectators, s.large, "Redirects to a user's larger avatar, by ID or email.").
				AtRoot().
				Rate(kit.RateFiles),
		},
		Answers: []kit.Answer{kit.Answers(s.uploaded)},
	}, nil
}

type setReq struct {
	File kit.File `file:"avatar"`
}

type setRes struct {
	URL string `json:"avatar_url"`
}

// set handles POST /users/me/avatar. Errors: BadRequest, BadImage, Unavailable.
func (s *service) set(ctx context.Context, a kit.Actor, in setReq) (setRes, error) {
	if _, _, err := s.mayChange(ctx, a); err != nil {
		return setRes{}, err
	}
	paths, err := s.store(ctx, a.Realm, in.File)
	if err != nil {
		return setRes{}, err
	}
	return s.change(ctx, a, paths)
}

// store scales an upload, stores the resulting images and returns their addresses, the smaller one first. It must not
// be called inside Do. Errors: BadImage, Unavailable.
func (s *service) store(ctx context.Context, r realm.ID, upload io.Reader) ([]string, error) {
	made, err := s.Images.Make(ctx, upload, picture.Avatar()...)
	if err != nil {
		return nil, err
	}
	return s.ImageStore.Put(ctx, r, "", made...)
}

// uploaded answers the question user.UploadedAvatar. It stores the upload and returns a function that makes it a user's
// avatar.
func (s *service) uploaded(ctx context.Context, q user.UploadedAvatar) (user.SetAvatar, error) {
	paths, err := s.store(ctx, q.By.Realm, q.File)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, id user.ID) error {
		v, err := s.Directory.View(ctx, q.By.Realm)
		if err != nil {
			return err
		}
		old := v.User(id)
		if old == nil {
			return errs.Bad("No such user")
		}
		_, err = s.replace(ctx, q.By, old, paths)
		return err
	}, nil
}

// reset handles DELETE /users/me/avatar. Errors: BadRequest.
func (s *service) reset(ctx context.Context, a kit.Actor, _ kit.None) (setRes, error) {
	return s.change(ctx, a, nil)
}

// change sets the caller's picture to the images at paths, the smaller one first. Without paths it removes the picture.
func (s *service) change(ctx context.Context, a kit.Actor, paths []string) (setRes, error) {
	return kit.Tx(ctx, s.Work, func(ctx context.Context) (setRes, error) {
		v, old, err := s.mayChange(ctx, a)
		if err != nil {
			return setRes{}, err
		}
		now, err := s.replace(ctx, a, old, paths)
		if err != nil {
			return setRes{}, err
		}
		return setRes{now.AvatarURL(v.Realm().MailDomain, false)}, nil
	})
}

// replace is like change, but for any user. It must be called inside Do.
func (s *service) replace(ctx context.Context, by user.Actor, old *user.User, paths []string) (*user.User, error) {
	address := ""
	if len(paths) > 0 {
		address = paths[0]
		if err := s.ImageStore.Claim(ctx, paths...); err != nil {
			return nil, err
		}
	}
	if old.Avatar != "" {
		if err := s.ImageStore.Release(ctx, old.Avatar, picture.Medium(old.Avatar)); err != nil {
			return nil, err
		}
	}
	return s.Settings.SetAvatar(ctx, by, old.ID, address)
}

// mayChange returns the view and the caller. Errors: BadRequest if only administrators are allowed to change pictures.
func (s *service) mayChange(ctx context.Context, a kit.Actor) (*directory.View, *user.User, error) {
	v, me, err := kit.Caller(ctx, s.Directory, a)
	switch {
	case err != nil:
		return nil, nil, err
	case !permission.ChangesOwnAvatar(v, me):
		return nil, nil, errs.Bad("Avatar changes are disabled in this organization.")
	}
	return v, me, nil
}

type avatarReq struct {
	User string `json:"user"` // ID or email address
}

// small handles GET /avatar/{user_id or email}. Errors: Unauthorized for an email address if the caller is not logged
// in.
func (s *service) small(ctx context.Context, a kit.Actor, in avatarReq) (kit.Redirect, error) {
	return s.redirect(ctx, a, in.User, false)
}

// large handles GET /avatar/{user_id or email}/medium. Errors: those of small.
func (s *service) large(ctx context.Context, a kit.Actor, in avatarReq) (kit.Redirect, error) {
	return s.redirect(ctx, a, in.User, true)
}

// redirect redirects to a user's picture. Users whom the caller is not allowed to see are treated like users who do not
// exist.
func (s *service) redirect(ctx context.Context, a kit.Actor, name string, medium bool) (kit.Redirect, error) {
	v, err := s.Directory.View(ctx, a.Realm)
	if err != nil {
		return kit.Redirect{}, err
	}
	me := v.User(a.User)
	id, err := strconv.ParseInt(name, 10, 64)
	isID := err == nil
	if me == nil && !isID {
		return kit.Redirect{}, errs.NotLoggedIn()
	}
	var u *user.User
	switch {
	case !isID:
		u = permission.ByEmail(v, me, name)
	case me == nil:
		u = permission.ShownToSpectators(v, user.ID(id))
	case permission.Sees(v, me, user.ID(id)):
		u = v.User(user.ID(id))
	}
	if u == nil {
		u = placeholder(user.ID(id), name, isID)
	}
	return kit.Redirect{To: u.AvatarURL(v.Realm().MailDomain, medium), Query: true}, nil
}

// placeholder returns a user for an ID or email address that does not exist.
func placeholder(id user.ID, email string, isID bool) *user.User {
	u := &user.User{
		ID:            id,
		AvatarSource:  user.Gravatar,
		AvatarVersion: 1,
		Settings:      user.Settings{EmailAddressVisibility: user.NobodySees},
	}
	if !isID {
		u.DeliveryEmail, u.Settings.EmailAddressVisibility = email, user.EveryoneSees
	}
	return u
}
