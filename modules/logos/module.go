package logos

import (
	"context"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/domain/picture"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

// Module manages the organization's icon and logos.
var Module = kit.Define("logos", "The organization's own icon and logos.", kit.None{}, wire)

type needs struct {
	fx.In
	Work       ports.UnitOfWork
	Directory  ports.Directory
	Images     ports.Images
	ImageStore ports.ImageStore
	Settings   ports.RealmSettings
}

type service struct{ needs }

func wire(_ kit.None, n needs) (kit.Parts, error) {
	s := &service{n}
	return kit.Parts{
		Endpoints: []kit.Endpoint{
			kit.GET("/realm/icon", kit.Users, s.icon, "Redirects to the organization's icon."),
			kit.POST("/realm/icon", kit.Admins, s.setIcon, "Sets the organization's icon.").
				Operation("setRealmIcon").Upload(picture.MaxUpload),
			kit.DELETE("/realm/icon", kit.Admins, s.resetIcon, "Removes the organization's uploaded icon."),
			kit.GET("/realm/logo", kit.Users, s.logo, "Redirects to the organization's logo."),
			kit.POST("/realm/logo", kit.Admins, s.setLogo, "Sets the organization's logo.").
				Operation("setRealmLogo").Upload(picture.MaxUpload),
			kit.DELETE("/realm/logo", kit.Admins, s.resetLogo, "Removes an uploaded logo of the organization."),
		},
	}, nil
}

// shape returns the target size of an upload: icons are square, logos keep their aspect ratio.
func shape(e realm.Emblem) picture.Shape {
	if e == realm.Icon {
		return picture.Shape{Width: 100, Height: 100}
	}
	return picture.Shape{Width: 800, Height: 100, Inside: true}
}

// logoOf returns the logo for dark themes if night is true, and otherwise the one for light themes.
func logoOf(night bool) realm.Emblem {
	if night {
		return realm.NightLogo
	}
	return realm.Logo
}

type iconRes struct {
	URL string `json:"icon_url"`
}

type setIcon struct {
	File kit.File `file:"icon"`
}

// setIcon handles POST /realm/icon. Errors: BadRequest, BadImage, UnauthorizedPrincipal, Unavailable.
func (s *service) setIcon(ctx context.Context, a kit.Actor, in setIcon) (iconRes, error) {
	r, err := s.set(ctx, a, realm.Icon, in.File)
	if err != nil {
		return iconRes{}, err
	}
	return iconRes{r.EmblemURL(realm.Icon)}, nil
}

// resetIcon handles DELETE /realm/icon. Errors: UnauthorizedPrincipal.
func (s *service) resetIcon(ctx context.Context, a kit.Actor, _ kit.None) (iconRes, error) {
	r, err := s.change(ctx, a, realm.Icon, nil)
	if err != nil {
		return iconRes{}, err
	}
	return iconRes{r.EmblemURL(realm.Icon)}, nil
}

type setLogo struct {
	Night bool     `json:"night"`
	File  kit.File `file:"logo"`
}

// setLogo handles POST /realm/logo. Errors: those of setIcon.
func (s *service) setLogo(ctx context.Context, a kit.Actor, in setLogo) (kit.None, error) {
	_, err := s.set(ctx, a, logoOf(in.Night), in.File)
	return kit.None{}, err
}

type resetLogoReq struct {
	Night bool `json:"night"`
}

// resetLogo handles DELETE /realm/logo. Errors: UnauthorizedPrincipal.
func (s *service) resetLogo(ctx context.Context, a kit.Actor, in resetLogoReq) (kit.None, error) {
	_, err := s.change(ctx, a, logoOf(in.Night), nil)
	return kit.None{}, err
}

func (s *service) set(ctx context.Context, a kit.Actor, e realm.Emblem, f kit.File) (*realm.Realm, error) {
	made, err := s.Images.Make(ctx, f, shape(e))
	if err != nil {
		return nil, err
	}
	paths, err := s.ImageStore.Put(ctx, a.Realm, "realm", made...)
	if err != nil {
		return nil, err
	}
	return s.change(ctx, a, e, paths)
}

// change sets the icon or a logo, or removes it if paths is empty.
func (s *service) change(ctx context.Context, a kit.Actor, e realm.Emblem, paths []string) (*realm.Realm, error) {
	return kit.Tx(ctx, s.Work, func(ctx context.Context) (*realm.Realm, error) {
		v, err := kit.AdminView(ctx, s.Directory, a)
		if err != nil {
			return nil, err
		}
		address := ""
		if len(paths) > 0 {
			address = paths[0]
			if err := s.ImageStore.Claim(ctx, address); err != nil {
				return nil, err
			}
		}
		if old := v.Realm().Emblems[e].Address; old != "" {
			if err := s.ImageStore.Release(ctx, old); err != nil {
				return nil, err
			}
		}
		return s.Settings.SetEmblem(ctx, a, e, address)
	})
}

// icon handles GET /realm/icon.
func (s *service) icon(ctx context.Context, a kit.Actor, _ kit.None) (kit.Redirect, error) {
	return s.redirect(ctx, a, realm.Icon)
}

type logoReq struct {
	Night bool `json:"night" default:"false"`
}

// logo handles GET /realm/logo.
func (s *service) logo(ctx context.Context, a kit.Actor, in logoReq) (kit.Redirect, error) {
	return s.redirect(ctx, a, logoOf(in.Night))
}

func (s *service) redirect(ctx context.Context, a user.Actor, e realm.Emblem) (kit.Redirect, error) {
	v, err := s.Directory.View(ctx, a.Realm)
	if err != nil {
		return kit.Redirect{}, err
	}
	return kit.Redirect{To: v.Realm().EmblemURL(e), Query: true}, nil
}
