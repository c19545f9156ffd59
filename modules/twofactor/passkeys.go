package twofactor

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"net/netip"
	"net/url"
	"slices"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

const (
	maxPasskeys    = 20       // of a user
	maxCredential  = 16 << 10 // bytes of what a browser sends about a passkey
	maxPasskeyName = 50       // code points
	handleBytes    = 64       // see Web Authentication, section 5.4.3
)

var encoding = base64.RawURLEncoding

// party returns the configuration for the origin of a page. Passkeys are bound to its host, so organizations at
// different hosts never share them. Errors: BadRequest at addresses that browsers refuse.
func party(origin, name string) (*webauthn.WebAuthn, error) {
	u, err := url.Parse(origin)
	if err != nil {
		return nil, err
	}
	if _, err := netip.ParseAddr(u.Hostname()); err == nil {
		return nil, errs.Bad("Passkeys need a host name, such as localhost, instead of a number.")
	}
	return webauthn.New(&webauthn.Config{
		RPID: u.Hostname(), RPDisplayName: name, RPOrigins: []string{origin},
		AttestationPreference: protocol.PreferNoAttestation,
	})
}

// owner is a user as the library knows them.
type owner struct {
	of     *user.User
	handle []byte
	keys   []passkey
	stored []webauthn.Credential
}

func (o *owner) WebAuthnID() []byte                         { return o.handle }
func (o *owner) WebAuthnName() string                       { return o.of.DeliveryEmail }
func (o *owner) WebAuthnDisplayName() string                { return o.of.FullName }
func (o *owner) WebAuthnCredentials() []webauthn.Credential { return o.stored }

// owner returns a user with their passkeys; handle is what devices know them by.
func (s *service) owner(ctx context.Context, u *user.User, handle string) (*owner, error) {
	raw, err := encoding.DecodeString(handle)
	if err != nil {
		return nil, err
	}
	o := &owner{of: u, handle: raw}
	if o.keys, err = s.rows.Passkeys(ctx, u.ID); err != nil {
		return nil, err
	}
	for i := range o.keys {
		c, err := o.keys[i].stored()
		if err != nil {
			return nil, err
		}
		o.stored = append(o.stored, c)
	}
	return o, nil
}

// newHandle returns a random handle.
func newHandle() string {
	b := make([]byte, handleBytes)
	_, _ = rand.Read(b) // never fails
	return encoding.EncodeToString(b)
}

// refusedPasskey is the error for all that a browser sends and that does not prove anything. The cause is logged.
func refusedPasskey(cause error) error {
	return errs.Bad("The passkey was not accepted. Try again, or log in in another way.").Because(cause)
}

// assertion parses what a browser sends when a passkey was used.
func assertion(text string) (*protocol.ParsedCredentialAssertionData, error) {
	if len(text) > maxCredential {
		return nil, refusedPasskey(nil)
	}
	parsed, err := protocol.ParseCredentialRequestResponseBytes([]byte(text))
	if err != nil {
		return nil, refusedPasskey(err)
	}
	return parsed, nil
}

// decode returns the state of a ceremony, which is stored with a login.
func decode(state string) (webauthn.SessionData, error) {
	var d webauthn.SessionData
	if err := json.Unmarshal([]byte(state), &d); err != nil {
		return d, refusedPasskey(err)
	}
	return d, nil
}

// eligible sets the flag of a stored passkey that says whether it can be copied to other devices, as the device says
// now: some change it, which the library refuses. The signature, which is checked afterwards, covers it.
func (o *owner) eligible(p *protocol.ParsedCredentialAssertionData) {
	for i := range o.stored {
		if slices.Equal(o.stored[i].ID, p.RawID) {
			o.stored[i].Flags.BackupEligible = p.Response.AuthenticatorData.Flags.HasBackupEligible()
		}
	}
}

// useKey records the use of a passkey whose signature was right. It must be called inside Do. Errors: BadRequest if it
// has been copied from a device that does not allow it.
func (s *service) useKey(ctx context.Context, o *owner, c *webauthn.Credential) error {
	if c.Authenticator.CloneWarning && !c.Flags.BackupEligible {
		return refusedPasskey(nil)
	}
	c.Authenticator.CloneWarning = false
	i := slices.IndexFunc(o.stored, func(one webauthn.Credential) bool { return slices.Equal(one.ID, c.ID) })
	record, err := json.Marshal(c)
	if err != nil || i < 0 {
		return refusedPasskey(err)
	}
	if err := s.rows.UsedPasskey(ctx, o.keys[i].ID, string(record), s.Clock.Now()); err != nil {
		return err
	}
	return s.rows.Untry(ctx, o.of.ID)
}

// challenge begins the use of a passkey as a second factor, and returns the options for the browser, or "" if the user
// has none that works here.
func (s *service) challenge(ctx context.Context, origin, name string, u *user.User, one *step) (string, error) {
	handle, err := s.rows.HandleOf(ctx, u.ID)
	if err != nil || handle == "" {
		return "", err
	}
	o, err := s.owner(ctx, u, handle)
	if err != nil || len(o.stored) == 0 {
		return "", err
	}
	at, err := party(origin, name)
	if errs.Is(err, errs.BadRequest) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	options, state, err := at.BeginLogin(o, webauthn.WithUserVerification(protocol.VerificationPreferred))
	if err != nil {
		return "", err
	}
	return s.remember(ctx, one, options, state)
}

// remember keeps the state of a ceremony with a login, and returns the options for the browser.
func (s *service) remember(
	ctx context.Context, one *step, options *protocol.CredentialAssertion, state *webauthn.SessionData,
) (string, error) {
	kept, err := json.Marshal(state)
	if err != nil {
		return "", err
	}
	text, err := json.Marshal(options)
	if err != nil {
		return "", err
	}
	one.Secret = string(kept)
	return string(text), s.Work.Do(ctx, func(ctx context.Context) error { return s.rows.ChangeStep(ctx, one) })
}

// second checks a passkey that was used as a second factor. It must be called inside Do. Errors: BadRequest.
func (s *service) second(ctx context.Context, origin, name string, u *user.User, one *step, text string) error {
	parsed, err := assertion(text)
	if err != nil {
		return err
	}
	state, err := decode(one.Secret)
	if err != nil {
		return err
	}
	handle, err := s.rows.HandleOf(ctx, u.ID)
	if err != nil {
		return err
	}
	o, err := s.owner(ctx, u, handle)
	if err != nil {
		return err
	}
	at, err := party(origin, name)
	if err != nil {
		return err
	}
	o.eligible(parsed)
	c, err := at.ValidateLogin(o, state, parsed)
	if err != nil {
		return refusedPasskey(err)
	}
	return s.useKey(ctx, o, c)
}

// first checks a passkey that was used without a password, and returns whose it is. It must be called inside Do.
// Errors: BadRequest.
func (s *service) first(
	ctx context.Context, r realm.ID, origin, name string, one *step, text string,
) (user.ID, error) {
	parsed, err := assertion(text)
	if err != nil {
		return 0, err
	}
	state, err := decode(one.Secret)
	if err != nil {
		return 0, err
	}
	at, err := party(origin, name)
	if err != nil {
		return 0, err
	}
	v, err := s.Directory.View(ctx, r)
	if err != nil {
		return 0, err
	}
	var o *owner
	_, c, err := at.ValidatePasskeyLogin(func(_, handle []byte) (webauthn.User, error) {
		id, err := s.rows.ByHandle(ctx, r, encoding.EncodeToString(handle))
		if err != nil {
			return nil, err
		}
		u := v.User(id)
		if u == nil || !u.Active {
			return nil, expired()
		}
		if o, err = s.owner(ctx, u, encoding.EncodeToString(handle)); err != nil {
			return nil, err
		}
		o.eligible(parsed)
		return o, nil
	}, state, parsed)
	if err != nil {
		return 0, refusedPasskey(err)
	}
	return o.of.ID, s.useKey(ctx, o, c)
}
