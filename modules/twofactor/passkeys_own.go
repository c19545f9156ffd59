package twofactor

import (
	"context"
	"encoding/json"
	"strings"
	"unicode/utf8"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/session"
	"github.com/stoachat/stoa/domain/signin"
	"github.com/stoachat/stoa/modules/kit"
)

// shownKey is a passkey as sent to its owner.
type shownKey struct {
	ID      passkeyID `json:"id" doc:"The ID of the passkey."`
	Name    string    `json:"name" doc:"The name that its owner has given it."`
	Created int64     `json:"created_at" doc:"When it was added, in Unix seconds."`
	Used    int64     `json:"last_used_at" doc:"When it was last used, in Unix seconds."`
	Synced  bool      `json:"synced" doc:"Whether it can be copied to other devices of its owner."`
}

// shownKeys returns the passkeys of a user.
func (s *service) shownKeys(ctx context.Context, a kit.Actor) ([]shownKey, error) {
	all, err := s.rows.Passkeys(ctx, a.User)
	out := []shownKey{}
	for i := range all {
		c, err := all[i].stored()
		if err != nil {
			return nil, err
		}
		out = append(out, shownKey{all[i].ID, all[i].Name, all[i].CreatedAt, all[i].UsedAt, c.Flags.BackupEligible})
	}
	return out, err
}

type beginKeyRes struct {
	Step    string          `json:"step" doc:"To be sent with the new passkey."`
	Options json.RawMessage `json:"options" doc:"For navigator.credentials.create."`
}

// beginKey handles POST /stoa/second_factor/passkeys/begin.
func (s *service) beginKey(ctx context.Context, a kit.Actor, in proofReq) (beginKeyRes, error) {
	if err := s.prove(ctx, a, in); err != nil {
		return beginKeyRes{}, err
	}
	v, me, err := kit.Caller(ctx, s.Directory, a)
	if err != nil {
		return beginKeyRes{}, err
	}
	at, err := party(a.URL, v.Realm().Settings.Name)
	if err != nil {
		return beginKeyRes{}, err
	}
	fresh, secret := newHandle(), session.NewSecret()
	return kit.Tx(ctx, s.Work, func(ctx context.Context) (beginKeyRes, error) {
		handle, err := s.rows.Handle(ctx, a.Realm, a.User, fresh)
		if err != nil {
			return beginKeyRes{}, err
		}
		o, err := s.owner(ctx, me, handle)
		if err != nil {
			return beginKeyRes{}, err
		}
		if len(o.keys) >= maxPasskeys {
			return beginKeyRes{}, errs.Bad("You have %d passkeys already. Remove one first.", maxPasskeys)
		}
		options, state, err := at.BeginRegistration(o,
			webauthn.WithResidentKeyRequirement(protocol.ResidentKeyRequirementPreferred),
			webauthn.WithExclusions(webauthn.Credentials(o.stored).CredentialDescriptors()))
		if err != nil {
			return beginKeyRes{}, err
		}
		text, err := json.Marshal(options)
		if err != nil {
			return beginKeyRes{}, err
		}
		kept, err := json.Marshal(state)
		if err != nil {
			return beginKeyRes{}, err
		}
		return beginKeyRes{secret, text}, s.rows.AddStep(ctx, &step{
			Hash: session.Hash(secret), UserID: a.User, RealmID: a.Realm, Secret: string(kept),
			EndsAt: s.Clock.Now().Add(signin.FlowLife).Unix(),
		})
	})
}

type addKeyReq struct {
	Step       string `json:"step" doc:"As returned with the options."`
	Name       string `json:"name" doc:"What its owner calls the passkey."`
	Credential string `json:"credential" doc:"JSON of the PublicKeyCredential."`
}

// addKey handles POST /stoa/second_factor/passkeys. Errors: Unauthorized without a session; BadRequest.
func (s *service) addKey(ctx context.Context, a kit.Actor, in addKeyReq) (codesRes, error) {
	name := strings.TrimSpace(in.Name)
	switch {
	case a.Session == 0:
		return codesRes{}, errs.NotLoggedIn()
	case name == "" || utf8.RuneCountInString(name) > maxPasskeyName:
		return codesRes{}, errs.Bad("Enter a name of at most %d characters.", maxPasskeyName)
	case len(in.Credential) > maxCredential:
		return codesRes{}, refusedPasskey(nil)
	}
	parsed, err := protocol.ParseCredentialCreationResponseBytes([]byte(in.Credential))
	if err != nil {
		return codesRes{}, refusedPasskey(err)
	}
	v, me, err := kit.Caller(ctx, s.Directory, a)
	if err != nil {
		return codesRes{}, err
	}
	at, err := party(a.URL, v.Realm().Settings.Name)
	if err != nil {
		return codesRes{}, err
	}
	return kit.Tx(ctx, s.Work, func(ctx context.Context) (codesRes, error) {
		one, err := s.rows.Step(ctx, a.Realm, session.Hash(in.Step), s.Clock.Now())
		if err != nil {
			return codesRes{}, err
		}
		if one == nil || one.Flow != "" || one.UserID != a.User {
			return codesRes{}, expired()
		}
		if existed, err := s.rows.TakeStep(ctx, one.Hash); err != nil || !existed {
			return codesRes{}, refusedPasskey(err)
		}
		handle, err := s.rows.HandleOf(ctx, a.User)
		if err != nil {
			return codesRes{}, err
		}
		o, err := s.owner(ctx, me, handle)
		if err != nil {
			return codesRes{}, err
		}
		state, err := decode(one.Secret)
		if err != nil {
			return codesRes{}, err
		}
		c, err := at.CreateCredential(o, state, parsed)
		if err != nil {
			return codesRes{}, refusedPasskey(err)
		}
		return s.storeKey(ctx, a, name, c)
	})
}

// storeKey stores a new passkey, and returns recovery codes if the caller has none. It must be called inside Do.
func (s *service) storeKey(ctx context.Context, a kit.Actor, name string, c *webauthn.Credential) (codesRes, error) {
	id := encoding.EncodeToString(c.ID)
	known, err := s.rows.Known(ctx, a.Realm, id)
	if err != nil {
		return codesRes{}, err
	}
	if known {
		return codesRes{}, refusedPasskey(nil)
	}
	c.Attestation = webauthn.CredentialAttestation{} // none is asked for
	record, err := json.Marshal(c)
	if err != nil {
		return codesRes{}, err
	}
	now := s.Clock.Now().Unix()
	err = s.rows.AddPasskey(ctx, &passkey{
		RealmID: a.Realm, UserID: a.User, Credential: id, Record: string(record), Name: name, CreatedAt: now, UsedAt: now,
	})
	if err != nil {
		return codesRes{}, err
	}
	if err := s.changed(ctx, a, a.User, keyAdded); err != nil {
		return codesRes{}, err
	}
	codes, err := s.issueMissing(ctx, a.Realm, a.User)
	return codesRes{codes}, err
}

type removeKeyReq struct {
	ID       passkeyID `json:"passkey_id" doc:"The ID of the passkey."`
	Password *string   `json:"password" doc:"The caller's password, unless they have logged in a moment ago."`
}

// removeKey handles DELETE /stoa/second_factor/passkeys/{passkey_id}. It ends the caller's other sessions.
func (s *service) removeKey(ctx context.Context, a kit.Actor, in removeKeyReq) (kit.None, error) {
	if err := s.prove(ctx, a, proofReq{in.Password}); err != nil {
		return kit.None{}, err
	}
	return kit.None{}, s.Work.Do(ctx, func(ctx context.Context) error {
		existed, err := s.rows.RemovePasskey(ctx, a.User, in.ID)
		if err != nil {
			return err
		}
		if !existed {
			return errs.Bad("No such passkey")
		}
		return s.removed(ctx, a, keyRemoved)
	})
}
