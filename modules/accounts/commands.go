package accounts

import (
	"context"
	"fmt"
	"time"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/spelling"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

// commands returns the commands about accounts and API keys.
func (s *service) commands() []kit.Command {
	return []kit.Command{
		kit.NewCommand("user create", s.commandCreate, "Create an account."),
		kit.NewCommand("user list", s.commandList, "List all accounts."),
		kit.NewCommand("user show", s.commandShow, "Show an account."),
		kit.NewCommand("user set", s.commandSet, "Change the name of an account."),
		kit.NewCommand("user role", s.commandRole, "Change the role of an account."),
		kit.NewCommand("user email", s.commandEmail, "Change the email address of an account."),
		kit.NewCommand("user password", s.commandPassword,
			"Set a new password. This revokes all API keys of the account."),
		kit.NewCommand("user deactivate", s.commandDeactivate,
			"Deactivate an account. Its API keys stop working immediately."),
		kit.NewCommand("user reactivate", s.commandReactivate,
			"Reactivate a deactivated account. A person's former API keys remain revoked."),
		kit.Confirm(kit.NewCommand("user delete", s.commandDelete,
			"Deactivate an account and delete its profile, and its messages if you want."), s.wouldDelete),
		kit.NewCommand("user key", s.commandKey, "Issue another API key for an account and print it."),
		kit.NewCommand("key list", s.listKeys, "List the API keys, without their secret part."),
		kit.Confirm(kit.NewCommand("key revoke", s.revokeKeys, "Revoke API keys."), s.wouldRevoke),
	}
}

// roleFlag is the name of a role.
type roleFlag string

// roleNames are the names of roles, from the highest to the lowest.
var roleNames = []string{"owner", "administrator", "moderator", "member", "guest"}

var roles = map[string]user.Role{
	"owner": user.Owner, "administrator": user.Admin, "moderator": user.Moderator, "member": user.Member,
	"guest": user.Guest,
}

// Validate checks the name.
func (r roleFlag) Validate() error {
	if _, ok := roles[string(r)]; !ok {
		return errs.New(errs.Invalid, "unknown role %q%s", string(r), spelling.Suggest(string(r), roleNames))
	}
	return nil
}

func (r roleFlag) role() (user.Role, error) { return roles[string(r)], r.Validate() }

func roleName(r user.Role) string {
	for name, role := range roles {
		if role == r {
			return name
		}
	}
	return fmt.Sprint(int(r))
}

// issuedKey is the output of commands that create an API key.
type issuedKey struct {
	ID    user.ID `json:"user_id"`
	Email string  `json:"email"`
	Key   string  `json:"api_key"`
}

func (k issuedKey) String() string {
	return fmt.Sprintf("user %d %s\nAPI key %s", k.ID, k.Email, k.Key)
}

type createFlags struct {
	Email string   `required:"" placeholder:"ADDRESS" help:"Email address."`
	Name  string   `required:"" help:"Full name."`
	Role  roleFlag `default:"member" help:"owner, administrator, moderator, member or guest."`
	kit.Password
}

func (s *service) commandCreate(ctx context.Context, a kit.Actor, in createFlags) (issuedKey, error) {
	role, err := in.Role.role()
	if err != nil {
		return issuedKey{}, err
	}
	id, err := s.Create(ctx, a, ports.NewUser{Email: in.Email, FullName: in.Name, Password: in.Text, Role: role})
	if err != nil {
		return issuedKey{}, err
	}
	key, err := s.IssueKey(ctx, a, id)
	return issuedKey{id, in.Email, key}, err
}

func (s *service) commandKey(ctx context.Context, a kit.Actor, in kit.UserFlag) (issuedKey, error) {
	_, u, err := in.Find(ctx, s.Directory, a.Realm)
	if err != nil {
		return issuedKey{}, err
	}
	if !u.Active {
		return issuedKey{}, errs.Bad("%s is deactivated; its keys do not work", u.DeliveryEmail)
	}
	key, err := s.IssueKey(ctx, a, u.ID)
	return issuedKey{u.ID, u.DeliveryEmail, key}, err
}

// activity is whether an account is active, as people read it.
type activity bool

func (a activity) String() string {
	if a {
		return "active"
	}
	return "deactivated"
}

// listedUser is an account in the output of commands.
type listedUser struct {
	ID     user.ID  `json:"user_id" table:"ID"`
	Email  string   `json:"email" table:"E-MAIL"`
	Name   string   `json:"full_name" table:"NAME"`
	Role   string   `json:"role"`
	Bot    bool     `json:"is_bot" table:"BOT"`
	Active activity `json:"is_active" table:"STATE"`
}

func forOperators(u *user.User) listedUser {
	return listedUser{u.ID, u.DeliveryEmail, u.FullName, roleName(u.Role), u.IsBot(), activity(u.Active)}
}

func (s *service) commandList(ctx context.Context, a kit.Actor, _ kit.None) ([]listedUser, error) {
	v, err := s.Directory.Verified(ctx, a.Realm)
	if err != nil {
		return nil, err
	}
	all := []listedUser{}
	for u := range v.Users() {
		all = append(all, forOperators(u))
	}
	return all, nil
}

// shownUser is the output of user show.
type shownUser struct {
	listedUser
	BotOwner user.ID   `json:"bot_owner_id,omitempty" table:"-"`
	Joined   time.Time `json:"date_joined"`
	Keys     int       `json:"api_keys"`
	Channels int       `json:"channels"`
}

func (s *service) commandShow(ctx context.Context, a kit.Actor, in kit.UserFlag) (shownUser, error) {
	v, u, err := in.Find(ctx, s.Directory, a.Realm)
	if err != nil {
		return shownUser{}, err
	}
	return shownUser{forOperators(u), u.BotOwner, u.Joined.UTC(), len(u.Keys), len(v.Subscriptions(u.ID))}, nil
}

// changedUser is the output of commands that change an account.
type changedUser struct {
	listedUser
	Text string `json:"text"` // what was changed
}

func (c changedUser) String() string { return c.Text }

// userAfter returns an account after a change.
func (s *service) userAfter(ctx context.Context, a kit.Actor, id user.ID, format string, args ...any) (
	changedUser, error,
) {
	v, err := s.Directory.Verified(ctx, a.Realm)
	if err != nil {
		return changedUser{}, err
	}
	return changedUser{forOperators(v.User(id)), fmt.Sprintf(format, args...)}, nil
}

type setFlags struct {
	kit.UserFlag
	Name string `required:"" help:"Full name."`
}

func (s *service) commandSet(ctx context.Context, a kit.Actor, in setFlags) (changedUser, error) {
	_, u, err := in.Find(ctx, s.Directory, a.Realm)
	if err == nil {
		err = s.Amend(ctx, a, u.ID, ports.UserChange{FullName: &in.Name})
	}
	if err != nil {
		return changedUser{}, err
	}
	return s.userAfter(ctx, a, u.ID, "renamed user %d %s from %q to %q", u.ID, u.DeliveryEmail, u.FullName, in.Name)
}

type roleFlags struct {
	kit.UserFlag
	Role roleFlag `arg:"" help:"owner, administrator, moderator, member or guest."`
}

func (s *service) commandRole(ctx context.Context, a kit.Actor, in roleFlags) (changedUser, error) {
	role, err := in.Role.role()
	if err != nil {
		return changedUser{}, err
	}
	_, u, err := in.Find(ctx, s.Directory, a.Realm)
	if err == nil {
		err = s.Amend(ctx, a, u.ID, ports.UserChange{Role: &role})
	}
	if err != nil {
		return changedUser{}, err
	}
	return s.userAfter(ctx, a, u.ID, "changed the role of user %d %s from %s to %s", u.ID, u.DeliveryEmail,
		roleName(u.Role), string(in.Role))
}

type emailFlags struct {
	Email string `required:"" placeholder:"ADDRESS" help:"Current email address."`
	New   string `name:"new-email" required:"" placeholder:"ADDRESS" help:"New email address."`
}

func (s *service) commandEmail(ctx context.Context, a kit.Actor, in emailFlags) (changedUser, error) {
	u, err := s.activeByEmail(ctx, a, in.Email)
	if err == nil {
		err = s.Work.Do(ctx, func(ctx context.Context) error { return s.ChangeEmail(ctx, a, u.ID, in.New) })
	}
	if err != nil {
		return changedUser{}, err
	}
	return s.userAfter(ctx, a, u.ID, "changed the address of user %d from %s to %s", u.ID, u.DeliveryEmail, in.New)
}

// activeByEmail returns the active person with an address.
func (s *service) activeByEmail(ctx context.Context, a kit.Actor, email string) (*user.User, error) {
	_, u, err := kit.UserFlag{Email: email}.Find(ctx, s.Directory, a.Realm)
	switch {
	case err != nil:
		return nil, err
	case !u.Active:
		return nil, errs.Bad("%s is deactivated", u.DeliveryEmail)
	case u.IsBot() || u.System:
		return nil, errs.Bad("%s is a bot, which has no password and no mailbox", u.DeliveryEmail)
	}
	return u, nil
}

type passwordFlags struct {
	kit.UserFlag
	kit.NewPassword
}

// changedPassword is the output of user password.
type changedPassword struct {
	ID    user.ID `json:"user_id"`
	Email string  `json:"email"`
}

func (c changedPassword) String() string {
	return fmt.Sprintf("changed the password of user %d %s and revoked all API keys of the account", c.ID, c.Email)
}

// PasswordFile names the file for a generated password.
func (c changedPassword) PasswordFile() string { return fmt.Sprintf("password-%d", c.ID) }

// commandPassword sets a password, with the same effects as a password reset link.
func (s *service) commandPassword(ctx context.Context, a kit.Actor, in passwordFlags) (changedPassword, error) {
	u, err := s.activeByEmail(ctx, a, in.Email)
	if err != nil {
		return changedPassword{}, err
	}
	hash, err := s.Hash(ctx, in.Text, u.DeliveryEmail, u.FullName)
	if err != nil {
		return changedPassword{}, err
	}
	err = s.Work.Do(ctx, func(ctx context.Context) error { return s.ResetPassword(ctx, a, u.ID, hash) })
	return changedPassword{u.ID, u.DeliveryEmail}, err
}

func (s *service) commandDeactivate(ctx context.Context, a kit.Actor, in kit.UserFlag) (changedUser, error) {
	_, u, err := in.Find(ctx, s.Directory, a.Realm)
	if err == nil && !u.Active {
		err = errs.Bad("%s is already deactivated", u.DeliveryEmail)
	}
	if err == nil {
		err = s.Deactivate(ctx, a, u.ID)
	}
	if err != nil {
		return changedUser{}, err
	}
	return s.userAfter(ctx, a, u.ID, "deactivated user %d %s", u.ID, u.DeliveryEmail)
}

func (s *service) commandReactivate(ctx context.Context, a kit.Actor, in kit.UserFlag) (changedUser, error) {
	_, u, err := in.Find(ctx, s.Directory, a.Realm)
	if err == nil && u.Active {
		err = errs.Bad("%s is not deactivated", u.DeliveryEmail)
	}
	if err == nil {
		_, err = s.reactivate(ctx, a, userReq{u.ID})
	}
	if err != nil {
		return changedUser{}, err
	}
	return s.userAfter(ctx, a, u.ID, "reactivated user %d %s", u.ID, u.DeliveryEmail)
}

type deleteFlags struct {
	kit.UserFlag
	Messages bool `help:"Also delete all messages that the user has sent."`
}

func (s *service) wouldDelete(ctx context.Context, a kit.Actor, in deleteFlags) (kit.Effect, error) {
	v, u, err := in.Find(ctx, s.Directory, a.Realm)
	if err != nil {
		return kit.Effect{}, err
	}
	bots := 0
	for b := range v.Users() {
		if b.BotOwner == u.ID && !b.System {
			bots++
		}
	}
	text := fmt.Sprintf("delete the profile of user %d %s and of %d bots and revoke %d API keys", u.ID,
		u.DeliveryEmail, bots, len(u.Keys))
	if in.Messages {
		text += ", and delete all messages that they have sent"
	}
	return kit.Effect{Text: text, Counts: map[string]int{"bots": bots, "api_keys": len(u.Keys)}}, nil
}

func (s *service) commandDelete(ctx context.Context, a kit.Actor, in deleteFlags) (changedUser, error) {
	_, u, err := in.Find(ctx, s.Directory, a.Realm)
	if err != nil {
		return changedUser{}, err
	}
	what := user.Deletion{
		Profile: true, PublicChannels: in.Messages, PrivateChannels: in.Messages, DirectMessages: in.Messages,
	}
	if err := s.Delete(ctx, a, u.ID, what); err != nil {
		return changedUser{}, err
	}
	return s.userAfter(ctx, a, u.ID, "deleted the profile of user %d %s", u.ID, u.DeliveryEmail)
}
