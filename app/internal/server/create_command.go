package server

import (
	"context"
	"fmt"

	"github.com/stoachat/stoa/modules/kit"
)

// createFlags describe a new organization. Without a password, one is generated.
type createFlags struct {
	Name       string `required:"" help:"Name of the organization."`
	Subdomain  string `required:"" placeholder:"NAME" help:"Subdomain: its host is NAME.<domain>, where domain is modules.realm.domain of the configuration."`
	OwnerEmail string `name:"owner-email" required:"" placeholder:"ADDRESS" help:"Email address of its owner."`
	OwnerName  string `name:"owner-name" required:"" placeholder:"NAME" help:"Full name of its owner."`
	kit.NewPassword
}

// createdRealm is the output of realm create.
type createdRealm struct {
	CreatedRealm
	Subdomain string `json:"subdomain"`
}

// String describes the organization.
func (c createdRealm) String() string {
	return fmt.Sprintf("realm %d %q\nowner %d %s\nAPI key %s", c.Realm, c.Subdomain, c.Owner, c.Email, c.Key)
}

// PasswordFile names the file for a generated password.
func (c createdRealm) PasswordFile() string { return "owner-password-" + c.Subdomain }

func (s *Server) createRealm(ctx context.Context, _ kit.Actor, in createFlags) (createdRealm, error) {
	made, err := s.Ports.CreateRealm(ctx, NewRealm{
		Name: in.Name, StringID: in.Subdomain, OwnerEmail: in.OwnerEmail, OwnerName: in.OwnerName,
		OwnerPassword: in.Text,
	})
	if err != nil {
		return createdRealm{}, err
	}
	v, err := s.Ports.Directory.Verified(ctx, made.Realm)
	if err != nil {
		return createdRealm{}, err
	}
	if err := s.Ports.Welcome(ctx, made); err != nil {
		s.Log.Error("a new organization lacks its first channel or message", "realm", made.Realm, "err", err)
	}
	return createdRealm{made, v.Realm().StringID}, nil
}
