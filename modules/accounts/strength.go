package accounts

import (
	"context"
	"fmt"
	"unicode/utf8"

	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/accounts/internal/breached"
	"github.com/stoachat/stoa/modules/accounts/internal/strength"
	"github.com/stoachat/stoa/modules/kit"
)

// strengthClass is the class of the requests for estimates, which clients send while people type.
const strengthClass = "password_strength"

// MinLength implements ports.Passwords.
func (s *service) MinLength() int { return s.cfg.MinPassword }

// Check checks a password that somebody chooses; see ports.Passwords.
func (s *service) Check(password, email string, names ...string) error {
	if err := user.CheckPassword(password, email, s.cfg.MinPassword); err != nil {
		return err
	}
	switch v, err := s.judge(password, email, names); {
	case err != nil:
		return err
	case v == breachedPassword:
		return user.BreachedPassword()
	case v != acceptable:
		return user.WeakPassword()
	}
	return nil
}

// verdict says why a password is refused.
type verdict string

const (
	acceptable       verdict = ""
	shortPassword    verdict = "short"
	longPassword     verdict = "long"
	weakPassword     verdict = "weak"
	breachedPassword verdict = "breached"
)

func (s *service) judge(password, email string, names []string) (verdict, error) {
	switch {
	case user.PasswordTooLong(password):
		return longPassword, nil
	case utf8.RuneCountInString(password) < s.cfg.MinPassword:
		return shortPassword, nil
	case !s.follows(password, email),
		s.cfg.MinGuesses > 0 && guesses(password, email, names) < float64(s.cfg.MinGuesses):
		return weakPassword, nil
	}
	known, err := breached.List(s.cfg.BreachList).Contains(password)
	switch {
	case err != nil:
		return weakPassword, fmt.Errorf("breach_list: %w", err)
	case known:
		return breachedPassword, nil
	}
	return acceptable, nil
}

// follows reports whether a password follows the rules that clients show.
func (s *service) follows(password, email string) bool {
	return user.CheckPassword(password, email, s.cfg.MinPassword) == nil
}

// Hash checks and hashes a password; see ports.Passwords.
func (s *service) Hash(ctx context.Context, password, email string, names ...string) (string, error) {
	if err := s.Check(password, email, names...); err != nil {
		return "", err
	}
	return s.hasher.Hash(ctx, password)
}

func guesses(password, email string, names []string) float64 {
	return strength.Guesses(password, append([]string{email}, names...)...)
}

type strengthReq struct {
	Password string `json:"password"`
	Email    string `json:"email" default:""`
	FullName string `json:"full_name" default:""`
}

type strengthRes struct {
	Score   int     `json:"score"`
	Refused verdict `json:"refused"`
}

// strength handles POST /stoa/password/strength. It judges a password as Check does, so that people know before they
// submit it. The estimate takes into account who the caller is.
func (s *service) strength(ctx context.Context, a kit.Actor, in strengthReq) (strengthRes, error) {
	v, err := s.Directory.View(ctx, a.Realm)
	if err != nil {
		return strengthRes{}, err
	}
	email, names := in.Email, []string{in.FullName}
	if v.Realm() != nil {
		names = append(names, v.Realm().Settings.Name)
	}
	if me := v.User(a.User); me != nil && email == "" {
		email, names = me.DeliveryEmail, append(names, me.FullName)
	}
	refused, err := s.judge(in.Password, email, names)
	if err != nil || refused == longPassword || refused == weakPassword || refused == breachedPassword {
		return strengthRes{Refused: refused}, err
	}
	return strengthRes{strength.Score(guesses(in.Password, email, names)), refused}, nil
}

// faults checks that the list of known passwords can be searched.
func (s *service) faults() []kit.Fault {
	if _, err := breached.List(s.cfg.BreachList).Contains(""); err != nil {
		return []kit.Fault{{
			Key:  "breach_list",
			Text: err.Error() + "; nobody can choose a password until the file is replaced or the key removed",
		}}
	}
	return nil
}
