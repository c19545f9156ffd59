package scim

import (
	"context"
	"fmt"
	"time"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/modules/kit"
)

// commands returns the commands for the tokens of identity providers.
func (s *service) commands() []kit.Command {
	return []kit.Command{
		kit.NewCommand("scim token list", s.listCommand, "List the tokens with which identity providers manage accounts."),
		kit.NewCommand("scim token create", s.createCommand,
			"Create a token with which an identity provider manages accounts, and print it."),
		kit.Confirm(kit.NewCommand("scim token revoke", s.revokeCommand, "Revoke a token of an identity provider."),
			s.wouldRevoke),
	}
}

// listedToken is a token in the output of scim token list.
type listedToken struct {
	ID      tokenID    `json:"token_id"`
	Name    string     `json:"name"`
	Hint    string     `json:"ends_with"`
	Created time.Time  `json:"created"`
	Expires *time.Time `json:"expires"`
	Used    *time.Time `json:"last_used"`
}

func (s *service) listCommand(ctx context.Context, a kit.Actor, _ kit.None) ([]listedToken, error) {
	all, err := s.rows.Tokens(ctx, a.Realm)
	out := []listedToken{}
	for _, t := range all {
		out = append(out, listedToken{t.ID, t.Name, t.Hint, t.CreatedAt.UTC(), t.ExpiresAt, t.UsedAt})
	}
	return out, err
}

type createFlags struct {
	Name string `arg:"" help:"Name of the identity provider, as shown to owners."`
	Days *int   `placeholder:"DAYS" help:"How long the token is valid. Default: until it is revoked."`
}

type created struct {
	ID    tokenID `json:"token_id"`
	Token string  `json:"token"`
}

// String returns the output for people.
func (c created) String() string {
	return fmt.Sprintf("token %d: %s\nSave it now. It will not be shown again.", c.ID, c.Token)
}

func (s *service) createCommand(ctx context.Context, a kit.Actor, in createFlags) (created, error) {
	res, err := s.create(ctx, a, createReq(in))
	return created(res), err
}

type revokeFlags struct {
	ID tokenID `arg:"" help:"ID of the token: see stoa scim token list."`
}

type revoked struct {
	ID tokenID `json:"token_id"`
}

// String returns the output for people.
func (r revoked) String() string { return fmt.Sprintf("Token %d has been revoked.", r.ID) }

func (s *service) revokeCommand(ctx context.Context, a kit.Actor, in revokeFlags) (revoked, error) {
	_, err := s.revoke(ctx, a, tokenReq(in))
	return revoked(in), err
}

func (s *service) wouldRevoke(ctx context.Context, a kit.Actor, in revokeFlags) (kit.Effect, error) {
	all, err := s.rows.Tokens(ctx, a.Realm)
	if err != nil {
		return kit.Effect{}, err
	}
	for _, t := range all {
		if t.ID == in.ID {
			return kit.Effect{Text: "revoke the token " + t.Name, Counts: map[string]int{"tokens": 1}}, nil
		}
	}
	return kit.Effect{}, errs.Absent("there is no token %d; see stoa scim token list", in.ID)
}
