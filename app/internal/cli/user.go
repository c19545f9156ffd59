package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"text/tabwriter"

	"github.com/alecthomas/kong"

	"github.com/stoachat/stoa/app/internal/config"
	"github.com/stoachat/stoa/app/internal/server"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/ports"
)

type users struct {
	kong.Plugins

	Create     userCreate     `cmd:"" help:"Create an account."`
	List       userList       `cmd:"" help:"List all accounts."`
	Password   userPassword   `cmd:"" help:"Set a new password. This revokes all API keys of the account."`
	Email      userEmail      `cmd:"" help:"Change the email address of an account."`
	Deactivate userDeactivate `cmd:"" help:"Deactivate an account. Its API keys stop working immediately."`
	Key        userKey        `cmd:"" help:"Issue another API key for an account and print it."`
}

type userCreate struct {
	organization
	Email    string `required:"" placeholder:"ADDRESS" help:"Email address."`
	Name     string `required:"" help:"Full name."`
	Role     string `default:"member" help:"owner, administrator, moderator, member or guest."`
	Password string `placeholder:"TEXT" help:"Password; - reads it from standard input. Without one, the account has no password login."`
	JSON     bool   `name:"json" help:"Print user_id, email, api_key as JSON."`
}

type userList struct {
	organization
	JSON bool `name:"json" help:"Print as JSON."`
}

type userDeactivate struct {
	organization
	Email string `required:"" placeholder:"ADDRESS" help:"Email address."`
}

type userPassword struct {
	organization
	Email    string `required:"" placeholder:"ADDRESS" help:"Email address."`
	Password string `placeholder:"TEXT" help:"New password; - reads it from standard input. Without one, a password is generated."`
}

type userEmail struct {
	organization
	Email string `required:"" placeholder:"ADDRESS" help:"Current email address."`
	New   string `name:"new-email" required:"" placeholder:"ADDRESS" help:"New email address."`
}

type userKey struct {
	organization
	Email string `required:"" placeholder:"ADDRESS" help:"Email address."`
	JSON  bool   `name:"json" help:"Print user_id, email, api_key as JSON."`
}

var roles = map[string]user.Role{
	"owner": user.Owner, "administrator": user.Admin, "moderator": user.Moderator, "member": user.Member,
	"guest": user.Guest,
}

func roleName(r user.Role) string {
	for name, role := range roles {
		if role == r {
			return name
		}
	}
	return fmt.Sprint(int(r))
}

// createdKey is the output of user create and user key.
type createdKey struct {
	ID    user.ID `json:"user_id"`
	Email string  `json:"email"`
	Key   string  `json:"api_key"`
}

func (m createdKey) print(e *env, asJSON bool) error {
	if asJSON {
		return json.NewEncoder(e.Out).Encode(m) //nolint:gosec // printing the new key is the purpose of the command
	}
	e.printf("user %d %s\nAPI key %s\n", m.ID, m.Email, m.Key)
	return nil
}

// Run creates the account.
func (c *userCreate) Run(e *env) error {
	role, ok := roles[c.Role]
	if !ok {
		names := []string{"owner", "administrator", "moderator", "member", "guest"}
		return fmt.Errorf("--role: unknown role %q%s", c.Role, config.Suggest(c.Role, names))
	}
	password, err := e.password(c.Password)
	if err != nil {
		return err
	}
	return e.inAccounts(c.organization, func(ctx context.Context, s *server.Server, r realm.ID) error {
		p := s.Ports
		by := server.System(r)
		id, err := p.Accounts.Create(ctx, by, ports.NewUser{Email: c.Email, FullName: c.Name, Password: password, Role: role})
		if err != nil {
			return err
		}
		key, err := p.Accounts.IssueKey(ctx, by, id)
		if err != nil {
			return err
		}
		return createdKey{id, c.Email, key}.print(e, c.JSON)
	})
}

// Run lists the accounts.
func (c *userList) Run(e *env) error {
	return e.inAccounts(c.organization, func(ctx context.Context, s *server.Server, r realm.ID) error {
		p := s.Ports
		v, err := p.Directory.Verified(ctx, r)
		if err != nil {
			return err
		}
		if c.JSON {
			return listJSON(e, v)
		}
		w := tabwriter.NewWriter(e.Out, 0, 0, 2, ' ', 0)
		_, _ = fmt.Fprintln(w, "ID\tE-MAIL\tNAME\tROLE\tSTATE") // Flush returns the error
		for u := range v.Users() {
			_, _ = fmt.Fprintf(w, "%d\t%s\t%s\t%s\t%s\n", u.ID, u.DeliveryEmail, u.FullName, kind(u), state(u))
		}
		return w.Flush()
	})
}

func listJSON(e *env, v *directory.View) error {
	type row struct {
		ID     user.ID `json:"user_id"`
		Email  string  `json:"email"`
		Name   string  `json:"full_name"`
		Role   string  `json:"role"`
		Bot    bool    `json:"is_bot"`
		Active bool    `json:"is_active"`
	}
	rows := []row{}
	for u := range v.Users() {
		rows = append(rows, row{u.ID, u.DeliveryEmail, u.FullName, roleName(u.Role), u.IsBot(), u.Active})
	}
	return json.NewEncoder(e.Out).Encode(rows)
}

func kind(u *user.User) string {
	if u.IsBot() {
		return roleName(u.Role) + " (bot)"
	}
	return roleName(u.Role)
}

func state(u *user.User) string {
	if u.Active {
		return "active"
	}
	return "deactivated"
}

// Run deactivates the account.
func (c *userDeactivate) Run(e *env) error {
	return e.inAccounts(c.organization, func(ctx context.Context, s *server.Server, r realm.ID) error {
		p := s.Ports
		u, err := e.find(p, r, c.Email)
		if err != nil {
			return err
		}
		if !u.Active {
			return fmt.Errorf("%s is already deactivated", u.DeliveryEmail)
		}
		if err := p.Accounts.Deactivate(ctx, server.System(r), u.ID); err != nil {
			return err
		}
		e.printf("deactivated user %d %s\n", u.ID, u.DeliveryEmail)
		return nil
	})
}

// Run sets the password, with the same effects as a password reset link.
func (c *userPassword) Run(e *env) error {
	given, err := e.password(c.Password)
	if err != nil {
		return err
	}
	return e.inAccounts(c.organization, func(ctx context.Context, s *server.Server, r realm.ID) error {
		p := s.Ports
		u, err := e.active(p, r, c.Email)
		if err != nil {
			return err
		}
		password := cmp.Or(given, newPassword())
		hash, err := p.Passwords.Hash(ctx, password, u.DeliveryEmail)
		if err != nil {
			return err
		}
		err = p.Work.Do(
			ctx,
			func(ctx context.Context) error { return p.Credentials.ResetPassword(ctx, server.System(r), u.ID, hash) },
		)
		if err != nil {
			return err
		}
		e.printf("changed the password of user %d %s and revoked all API keys of the account\n", u.ID, u.DeliveryEmail)
		if given != "" {
			return nil
		}
		path, err := e.savePassword(s, fmt.Sprintf("password-%d", u.ID), password, false)
		if err == nil {
			e.printf("password file %s\n", path)
		}
		return err
	})
}

// Run changes the address.
func (c *userEmail) Run(e *env) error {
	return e.inAccounts(c.organization, func(ctx context.Context, s *server.Server, r realm.ID) error {
		p := s.Ports
		u, err := e.active(p, r, c.Email)
		if err != nil {
			return err
		}
		err = p.Work.Do(
			ctx,
			func(ctx context.Context) error { return p.Credentials.ChangeEmail(ctx, server.System(r), u.ID, c.New) },
		)
		if err != nil {
			return err
		}
		e.printf("changed the address of user %d from %s to %s\n", u.ID, u.DeliveryEmail, c.New)
		return nil
	})
}

// active returns the active user with the given address.
func (e *env) active(p server.Ports, r realm.ID, email string) (*user.User, error) {
	u, err := e.find(p, r, email)
	switch {
	case err != nil:
		return nil, err
	case !u.Active:
		return nil, fmt.Errorf("%s is deactivated", u.DeliveryEmail)
	case u.IsBot() || u.System:
		return nil, fmt.Errorf("%s is a bot, which has no password and no mailbox", u.DeliveryEmail)
	}
	return u, nil
}

// Run creates a key.
func (c *userKey) Run(e *env) error {
	return e.inAccounts(c.organization, func(ctx context.Context, s *server.Server, r realm.ID) error {
		p := s.Ports
		u, err := e.find(p, r, c.Email)
		if err != nil {
			return err
		}
		if !u.Active {
			return fmt.Errorf("%s is deactivated; its keys do not work", u.DeliveryEmail)
		}
		key, err := p.Accounts.IssueKey(ctx, server.System(r), u.ID)
		if err != nil {
			return err
		}
		return createdKey{u.ID, u.DeliveryEmail, key}.print(e, c.JSON)
	})
}

func (e *env) find(p server.Ports, r realm.ID, email string) (*user.User, error) {
	v, err := p.Directory.Verified(e.ctx, r)
	if err != nil {
		return nil, err
	}
	if u := v.UserByEmail(email); u != nil {
		return u, nil
	}
	var all []string
	for u := range v.Users() {
		all = append(all, u.DeliveryEmail)
	}
	return nil, fmt.Errorf("--email: no user has the address %q%s", email, e.suggest(email, all, "user list"))
}

// inAccounts runs fn with a started server and the selected organization, if a module manages accounts.
func (e *env) inAccounts(o organization, fn func(context.Context, *server.Server, realm.ID) error) error {
	return e.inRealm(o, func(s *server.Server, r *realm.Realm) error {
		if s.Ports.Accounts == nil {
			return errors.New("no module creates accounts; add modules: {accounts: {}}")
		}
		return fn(e.ctx, s, r.ID)
	})
}
