package twofactor

import (
	"context"
	"fmt"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/secondfactor"
	"github.com/stoachat/stoa/domain/user"
)

// The kinds of second factors, as in the audit log.
const (
	app      = "authenticator_app"
	recovery = "recovery_code"
	key      = "passkey"
)

// purpose is what the secret of a user's app is sealed for, so that it is of no use in the row of another user.
func purpose(u user.ID) string { return fmt.Sprintf("authenticator app of %d", u) }

func (s *service) seal(u user.ID, secret string) (string, error) {
	return s.Sealer.Seal(purpose(u), secret)
}

func (s *service) open(u user.ID, sealed string) (string, error) {
	secret, err := s.Sealer.Open(purpose(u), sealed)
	if errs.Is(err, errs.NotFound) { // not an errs.Error: the operator has to fix it
		err = fmt.Errorf("the %s can't be decrypted with the server's secret: configure the secret with which it was "+
			"encrypted, or reset the user's second factor: %v", purpose(u), err)
	}
	return secret, err
}

// use uses up a code of the user's app, or a recovery code, and returns its kind, or "" if it is neither. It must be
// called inside Do.
func (s *service) use(ctx context.Context, f factors, code string) (string, error) {
	if hash, ok := secondfactor.HashRecoveryCode(code); ok {
		used, err := s.rows.UseCode(ctx, f.UserID, hash)
		if err != nil || !used {
			return "", err
		}
		return recovery, s.rows.Untry(ctx, f.UserID)
	}
	if f.Secret == "" {
		return "", nil
	}
	secret, err := s.open(f.UserID, f.Secret)
	if err != nil {
		return "", err
	}
	at, ok := secondfactor.Verify(secret, code, s.Clock.Now(), f.LastStep)
	if !ok {
		return "", nil
	}
	used, err := s.rows.UseStep(ctx, f.UserID, at)
	if err != nil || !used {
		return "", err
	}
	return app, s.rows.Untry(ctx, f.UserID)
}

// install sets up an app with a code that it shows, and reports whether the code is right. sealed is the app's secret.
// It must be called inside Do.
func (s *service) install(ctx context.Context, r realm.ID, u user.ID, sealed, code string) (bool, error) {
	secret, err := s.open(u, sealed)
	if err != nil {
		return false, err
	}
	at, ok := secondfactor.Verify(secret, code, s.Clock.Now(), 0)
	if !ok {
		return false, nil
	}
	if err := s.rows.Ensure(ctx, r, u); err != nil {
		return false, err
	}
	if err := s.rows.SetApp(ctx, u, sealed, at, s.Clock.Now()); err != nil {
		return false, err
	}
	return true, s.rows.Untry(ctx, u)
}

// issue replaces the recovery codes of a user. It must be called inside Do.
func (s *service) issue(ctx context.Context, r realm.ID, u user.ID) ([]string, error) {
	codes := secondfactor.NewRecoveryCodes()
	rows := make([]recoveryCode, len(codes))
	for i, code := range codes {
		hash, _ := secondfactor.HashRecoveryCode(code)
		rows[i] = recoveryCode{Hash: hash, UserID: u, RealmID: r}
	}
	return codes, s.rows.ReplaceCodes(ctx, u, rows)
}

// issueMissing issues recovery codes to a user who has none. It must be called inside Do.
func (s *service) issueMissing(ctx context.Context, r realm.ID, u user.ID) ([]string, error) {
	left, err := s.rows.Codes(ctx, u)
	if err != nil || left > 0 {
		return []string{}, err
	}
	return s.issue(ctx, r, u)
}
