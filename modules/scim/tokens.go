package scim

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/stoachat/stoa/domain/audit"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/session"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
)

// Limits of tokens.
const (
	maxTokens    = 20 // of an organization
	maxTokenName = 60 // code points
	maxDays      = 3650
	secretBytes  = 32
	hintLength   = 4
)

// tokenPrefix makes tokens recognizable, as for programs that search for secrets in the wrong places.
const tokenPrefix = "stoa_scim_" //nolint:gosec // no secret

// maxTokenLength exceeds the length of any token in bytes.
const maxTokenLength = 128

// usedEvery is the precision of the time at which a token was last used.
const usedEvery = time.Minute

// shownToken is a token as sent to owners. Times are Unix seconds.
type shownToken struct {
	ID      tokenID `json:"id"`
	Name    string  `json:"name"`
	Hint    string  `json:"hint"`
	Creator user.ID `json:"creator_id"`
	Created int64   `json:"created_at"`
	Expires *int64  `json:"expires_at"`
	Used    *int64  `json:"last_used_at"`
}

func shown(t *token) shownToken {
	unix := func(at *time.Time) *int64 {
		if at == nil {
			return nil
		}
		n := at.Unix()
		return &n
	}
	return shownToken{t.ID, t.Name, t.Hint, t.CreatorID, t.CreatedAt.Unix(), unix(t.ExpiresAt), unix(t.UsedAt)}
}

type tokensRes struct {
	Tokens []shownToken `json:"tokens" doc:"The tokens, without their secrets."`
}

// list handles GET /stoa/scim/tokens.
func (s *service) list(ctx context.Context, a kit.Actor, _ kit.None) (tokensRes, error) {
	all, err := s.rows.Tokens(ctx, a.Realm)
	out := tokensRes{Tokens: []shownToken{}}
	for _, t := range all {
		out.Tokens = append(out.Tokens, shown(t))
	}
	return out, err
}

type createReq struct {
	Name string `json:"name"`
	Days *int   `json:"expires_in_days" doc:"For how many days the token is valid; without it, until it is revoked."`
}

type createRes struct {
	ID    tokenID `json:"id"`
	Token string  `json:"token"`
}

// create handles POST /stoa/scim/tokens. Errors: BadRequest.
func (s *service) create(ctx context.Context, a kit.Actor, in createReq) (createRes, error) {
	name := strings.TrimSpace(in.Name)
	switch {
	case name == "" || !utf8.ValidString(name) || user.FirstInvisible(name) > 0:
		return createRes{}, errs.Bad("Give the token a name, such as that of the identity provider.")
	case utf8.RuneCountInString(name) > maxTokenName:
		return createRes{}, errs.Bad("The name of a token can have at most %d characters.", maxTokenName)
	case in.Days != nil && (*in.Days < 1 || *in.Days > maxDays):
		return createRes{}, errs.Bad("A token can be valid for 1 to %d days.", maxDays)
	}
	raw := make([]byte, secretBytes)
	_, _ = rand.Read(raw) // never fails
	secret := tokenPrefix + base64.RawURLEncoding.EncodeToString(raw)
	now := s.Clock.Now()
	t := token{
		RealmID: a.Realm, Name: name, Hash: session.Hash(secret), Hint: secret[len(secret)-hintLength:], CreatorID: a.User,
		CreatedAt: now,
	}
	if in.Days != nil {
		end := now.AddDate(0, 0, *in.Days)
		t.ExpiresAt = &end
	}
	return kit.Tx(ctx, s.Work, func(ctx context.Context) (createRes, error) {
		all, err := s.rows.LockTokens(ctx, a.Realm)
		if err != nil {
			return createRes{}, err
		}
		if len(all) >= maxTokens {
			return createRes{}, errs.Bad("Revoke a token first: an organization has up to %d.", maxTokens)
		}
		t.ID = 0 // the transaction may run again
		if err := s.rows.AddToken(ctx, &t); err != nil {
			return createRes{}, err
		}
		return createRes{t.ID, secret}, s.Audit.Record(ctx, tokenFact(a, audit.ScimTokenCreated, &t))
	})
}

type tokenReq struct {
	ID tokenID `json:"token_id"`
}

// revoke handles DELETE /stoa/scim/tokens/{token_id}. Errors: BadRequest.
func (s *service) revoke(ctx context.Context, a kit.Actor, in tokenReq) (kit.None, error) {
	return kit.None{}, s.Work.Do(ctx, func(ctx context.Context) error {
		all, err := s.rows.LockTokens(ctx, a.Realm)
		if err != nil {
			return err
		}
		i := slices.IndexFunc(all, func(t *token) bool { return t.ID == in.ID })
		if i < 0 {
			return errs.Bad("No such token")
		}
		if err := s.rows.RemoveToken(ctx, in.ID); err != nil {
			return err
		}
		return s.Audit.Record(ctx, tokenFact(a, audit.ScimTokenRevoked, all[i]))
	})
}

func tokenFact(by user.Actor, a audit.Action, t *token) audit.Fact {
	return audit.Fact{
		Realm: by.Realm, Action: a, Target: audit.To(audit.ScimToken, t.ID), By: &by,
		New: audit.Values{"name": t.Name},
	}
}

// valid reports whether a token has not expired.
func (t *token) valid(now time.Time) bool { return t.ExpiresAt == nil || now.Before(*t.ExpiresAt) }

// authenticate returns the token of a request, or nil.
func (s *service) authenticate(ctx context.Context, r realm.ID, req *http.Request) (*token, error) {
	scheme, secret, _ := strings.Cut(req.Header.Get("Authorization"), " ")
	secret = strings.TrimSpace(secret)
	if !strings.EqualFold(scheme, "Bearer") || len(secret) > maxTokenLength || !strings.HasPrefix(secret, tokenPrefix) {
		return nil, nil
	}
	hash := session.Hash(secret)
	t, err := s.rows.Token(ctx, r, hash)
	if err != nil || t == nil || subtle.ConstantTimeCompare([]byte(t.Hash), []byte(hash)) != 1 {
		return nil, err
	}
	now := s.Clock.Now()
	if !t.valid(now) {
		return nil, nil
	}
	if t.UsedAt == nil || now.Sub(*t.UsedAt) >= usedEvery {
		return t, s.Work.Do(ctx, func(ctx context.Context) error { return s.rows.Used(ctx, t.ID, now) })
	}
	return t, nil
}

type managedReq struct {
	User user.ID `json:"user_id"`
}

type managedRes struct {
	By     string   `json:"managed_by" doc:"The name of the identity provider that manages the account; empty: none does."`
	Fields []string `json:"managed_fields" doc:"What people cannot change: full_name, email and role."`
}

// managed handles GET /stoa/scim/users/{user_id}. Errors: BadRequest.
func (s *service) managed(ctx context.Context, a kit.Actor, in managedReq) (managedRes, error) {
	v, err := kit.AdminView(ctx, s.Directory, a)
	if err != nil {
		return managedRes{}, err
	}
	out, u := managedRes{Fields: []string{}}, v.User(in.User)
	if u == nil {
		return out, errs.Bad("No such user")
	}
	p, err := s.rows.Person(ctx, a.Realm, u.ID)
	if err != nil || p == nil || !provisioned(u) {
		return out, err
	}
	if managed, err := s.manages(ctx, a.Realm, p.Manager); err != nil || !managed {
		return out, err
	}
	out.By, out.Fields = p.Manager, []string{"full_name", "email"}
	if p.SetsRole {
		out.Fields = append(out.Fields, "role")
	}
	return out, nil
}
