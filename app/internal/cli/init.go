package cli

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/stoachat/stoa/app/internal/config"
	"github.com/stoachat/stoa/app/internal/server"
	"github.com/stoachat/stoa/modules/kit"
)

type initialize struct {
	owner
	Demo bool `help:"Create a demo organization with users, channels and messages, for development. Names and owner get defaults."`
	JSON bool `name:"json" help:"Print realm_id, user_id, email, api_key and, for a generated password, password_file as JSON."`
}

// owner holds the flags that describe the new organization and its owner. Without a password, one is generated.
type owner struct {
	Realm      string `placeholder:"NAME" help:"Name of the organization."`
	OwnerEmail string `name:"owner-email" placeholder:"ADDRESS" help:"Email address of its owner."`
	OwnerName  string `name:"owner-name" placeholder:"NAME" help:"Full name of its owner."`
	kit.Password
}

// Run creates the realm.
func (c *initialize) Run(e *env) error {
	f, err := c.newRealm(e)
	if err != nil {
		return err
	}
	from := e.sources()
	if c.Demo {
		from.Add = append(from.Add, "modules.demo")
	}
	return e.withNewDatabase(from, func(s *server.Server) error { return c.createRealm(e, s, f) })
}

// demoPresets returns defaults of other modules for servers with the module demo: email addresses and channel addresses
// need a domain, and demo users may invite others right away.
func demoPresets() []config.Preset {
	const domain = "zulipdev.com"
	return []config.Preset{{Section: "modules.demo", Values: map[string]any{
		"modules.realm.mail_domain":              domain,
		"modules.channels.email_gateway_pattern": "%s@" + domain,
		"modules.invites.min_account_age":        "0s",
	}}}
}

func (c *initialize) newRealm(e *env) (server.NewRealm, error) {
	f := server.NewRealm{Name: c.Realm, OwnerEmail: c.OwnerEmail, OwnerName: c.OwnerName}
	if c.Demo {
		f.Name = cmp.Or(f.Name, "Zulip Dev")
		f.OwnerEmail = cmp.Or(f.OwnerEmail, "desdemona@zulip.com")
		f.OwnerName = cmp.Or(f.OwnerName, "Desdemona")
	}
	for flag, v := range map[string]string{"--realm": f.Name, "--owner-email": f.OwnerEmail, "--owner-name": f.OwnerName} {
		if v == "" {
			return f, errors.New("init requires --realm, --owner-email and --owner-name, or --demo; missing: " + flag)
		}
	}
	err := e.readPassword(&c.Password)
	f.OwnerPassword = cmp.Or(c.Text, newPassword())
	return f, err
}

func (c *initialize) createRealm(e *env, s *server.Server, f server.NewRealm) error {
	if c.Demo && s.Ports.Demo == nil {
		return errors.New("this program was built without the module demo")
	}
	created, err := s.Ports.CreateFirstRealm(e.ctx, f)
	if errors.Is(err, server.ErrRealmExists) {
		return fmt.Errorf(
			"%w (%s); create accounts with %s",
			err,
			config.Masked(s.Config.Settings.DatabaseURL()),
			e.command("user create"),
		)
	}
	if err != nil {
		return err
	}
	if err := c.print(e, s, created, f); err != nil {
		return err
	}
	if c.Demo {
		err = s.Ports.Demo.Fill(e.ctx, created.Realm)
	} else {
		err = s.Ports.Welcome(e.ctx, created)
	}
	if err != nil {
		return fmt.Errorf("the organization and its owner were created, but not all of its content: %w", err)
	}
	return nil
}

func (c *initialize) print(e *env, s *server.Server, created server.CreatedRealm, f server.NewRealm) error {
	if !c.JSON {
		e.printf("realm %d %q\nowner %d %s\nAPI key %s\n", created.Realm, f.Name, created.Owner, created.Email, created.Key)
	}
	path := ""
	if c.Text == "" {
		var err error
		if path, err = e.savePassword(s.Config.Settings.DataDir, "owner-password", f.OwnerPassword, c.JSON); err != nil {
			return err
		}
	}
	if c.JSON {
		out := struct {
			server.CreatedRealm
			PasswordFile string `json:"password_file,omitempty"`
		}{created, path}
		return json.NewEncoder(e.Out).Encode(out) // --json prints the new key
	}
	if path != "" {
		e.printf("password file %s\n", path)
	}
	e.printf("\n%s", e.inviteHint())
	return nil
}
