package identities

import (
	"context"
	"slices"

	"github.com/stoachat/stoa/domain/audit"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/session"
	"github.com/stoachat/stoa/domain/signin"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
)

// shown is an identity as sent to its owner. Times are Unix seconds.
type shown struct {
	ID       identityID `json:"id"`
	Provider string     `json:"provider"` // the name of the method, as in external_authentication_methods
	Email    string     `json:"email"`    // told by the provider when the identity was connected
	Created  int64      `json:"created_at"`
	Used     int64      `json:"last_used_at"`
}

type listRes struct {
	Identities []shown         `json:"identities"`
	Methods    []signin.Method `json:"methods"` // of the organization's providers, as in external_authentication_methods
}

// list handles GET /stoa/identities.
func (s *service) list(ctx context.Context, a kit.Actor, _ kit.None) (listRes, error) {
	all, err := s.rows.Of(ctx, a.User)
	if err != nil {
		return listRes{}, err
	}
	methods, err := s.Methods.Ask(ctx, signin.Methods{Realm: a.Realm})
	out := listRes{Identities: []shown{}, Methods: []signin.Method{}}
	for _, m := range slices.Concat(methods...) {
		if m.Provider {
			out.Methods = append(out.Methods, m)
		}
	}
	for _, one := range all {
		out.Identities = append(out.Identities,
			shown{one.ID, one.Provider, one.Email, one.CreatedAt.Unix(), one.UsedAt.Unix()})
	}
	return out, err
}

type connectReq struct {
	Provider string `json:"provider"`
	Next     string `json:"next" default:"/"`
}

type connectRes struct {
	URL string `json:"url"`
}

// request handles POST /stoa/identities. It returns a URL that the browser opens to connect the caller's account to an
// identity of a provider; it is valid once, for some minutes. Errors: BadRequest for an unknown provider; Unauthorized
// without a session.
func (s *service) request(ctx context.Context, a kit.Actor, in connectReq) (connectRes, error) {
	if a.Session == 0 {
		return connectRes{}, errs.NotLoggedIn()
	}
	answers, err := s.Methods.Ask(ctx, signin.Methods{Realm: a.Realm})
	if err != nil {
		return connectRes{}, err
	}
	all := slices.Concat(answers...)
	i := slices.IndexFunc(all, func(m signin.Method) bool { return m.Provider && m.Name == in.Provider })
	if i < 0 {
		return connectRes{}, errs.Bad("No such provider")
	}
	key := newSecret()
	return connectRes{all[i].LoginURL + "?connect=" + key}, s.Work.Do(ctx, func(ctx context.Context) error {
		return s.rows.AddFlow(ctx, &flow{
			Hash: session.Hash(key), RealmID: a.Realm, UserID: a.User, Provider: in.Provider, Intent: asked,
			Next: session.Next(in.Next), EndsAt: s.end(signin.Flow{}),
		})
	})
}

// asked is the intent of a flow that the owner of an account has requested and not yet begun.
const asked signin.Intent = "asked"

// takeRequest returns the request to connect the caller's account, which it deletes. Errors: BadRequest.
func (s *service) takeRequest(ctx context.Context, by user.Actor, p signin.Provider, key string) (*flow, error) {
	f, err := s.rows.Flow(ctx, by.Realm, session.Hash(key), s.Clock.Now())
	if err != nil {
		return nil, err
	}
	if f == nil || f.Intent != asked || f.Provider != p.ID || by.User == 0 || f.UserID != by.User {
		return nil, expired()
	}
	return f, s.take(ctx, f)
}

type disconnectReq struct {
	ID identityID `json:"identity_id"`
}

// disconnect handles DELETE /stoa/identities/{identity_id}. Errors: BadRequest if the caller has no such identity, or
// no other way to log in.
func (s *service) disconnect(ctx context.Context, a kit.Actor, in disconnectReq) (kit.None, error) {
	return kit.None{}, s.Work.Do(ctx, func(ctx context.Context) error {
		v, err := s.Directory.View(ctx, a.Realm)
		if err != nil {
			return err
		}
		all, err := s.rows.Of(ctx, a.User)
		if err != nil {
			return err
		}
		i := slices.IndexFunc(all, func(one identity) bool { return one.ID == in.ID })
		if i < 0 {
			return errs.Bad("No such identity")
		}
		password, _, err := s.HasPassword.Ask(ctx, user.HasPassword{Realm: a.Realm, User: a.User, Own: true})
		if err != nil {
			return err
		}
		if len(all) == 1 && !password {
			return errs.Bad("You could not log in any more. Set a password first.")
		}
		if err := s.rows.Remove(ctx, a.User, in.ID); err != nil {
			return err
		}
		return s.Audit.Record(ctx, fact(a, audit.IdentityDisconnected, v.User(a.User), all[i].Provider, all[i].Subject))
	})
}
