package sessions

import (
	"context"
	"net/http"
	"slices"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/markdown"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/signin"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit/page"
)

// maxDescription is the maximum length of the organization's description on the page, in code points.
const maxDescription = 500

// describe adds what the login page says about the organization, its other login methods, and forgotten passwords. All
// of it is public, as in GET /server_settings.
func (s *service) describe(r *http.Request, v *directory.View, p *loginData) error {
	ctx, about := r.Context(), v.Realm()
	p.Icon = about.EmblemURL(realm.Icon)
	out, err := s.Renderer.Render(ctx, v, markdown.Source{Text: about.Settings.Description, Description: true})
	if err != nil && !errs.Is(err, errs.BadRequest) { // a description that cannot be rendered is left out
		return err
	}
	p.Description = s.Renderer.Text(out.HTML, markdown.Reader{Limit: maxDescription})
	methods, err := s.Methods.Ask(ctx, signin.Methods{Realm: about.ID})
	if err != nil {
		return err
	}
	p.Methods = slices.DeleteFunc(slices.Concat(methods...), func(m signin.Method) bool { return m.LoginURL == loginPath })
	if p.Address, err = page.Address(ctx, s.Site, s.Realms, about); err != nil {
		return err
	}
	if p.Address == "" {
		p.Address = page.Origin(r)
	}
	if !p.Form || !s.mounted(forgotPath) {
		return nil
	}
	if s.Outbox != nil && s.Outbox.Delivers() {
		p.Forgot = forgotPath + "/"
		return nil
	}
	p.AskOwner = true
	p.Helper, err = s.visibleOwner(ctx, v)
	return err
}

// visibleOwner returns the name of the owner with the lowest ID whom visitors can see, or "".
func (s *service) visibleOwner(ctx context.Context, v *directory.View) (string, error) {
	if s.Spectators == nil {
		return "", nil
	}
	if admits, err := s.Spectators.Admits(ctx, v.Realm().ID); err != nil || !admits {
		return "", err
	}
	for _, id := range v.WithRole(user.Owner) {
		if u := permission.ShownToSpectators(v, id); u != nil && !u.IsBot() {
			return u.FullName, nil
		}
	}
	return "", nil
}
