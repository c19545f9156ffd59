package signin_test

import (
	"testing"

	"github.com/stoachat/stoa/domain/signin"
	"github.com/stoachat/stoa/domain/user"
)

func TestDecide(t *testing.T) {
	ada := &user.User{ID: 1, Active: true}
	bob := &user.User{ID: 2, Active: true}
	gone := &user.User{ID: 3}
	bot := &user.User{ID: 4, Active: true, BotType: user.GenericBot}
	known := signin.Identity{Subject: "s", Email: "a@example.com", Verified: true}
	unverified := signin.Identity{Subject: "s", Email: "a@example.com"}
	for _, c := range []struct {
		name string
		p    signin.Provider
		id   signin.Identity
		at   signin.Standing
		want signin.Verdict
		who  *user.User
		why  signin.Reason
	}{
		{"known", signin.Provider{}, unverified, signin.Standing{Owner: ada, Account: bob}, signin.Enter, ada, ""},
		{"deactivated", signin.Provider{}, known, signin.Standing{Owner: gone}, signin.Refuse, gone, signin.Deactivated},
		{"no address", signin.Provider{SignUp: true}, signin.Identity{Subject: "s"}, signin.Standing{Open: true},
			signin.Refuse, nil, signin.NoAddress},
		{"unverified", signin.Provider{Link: true, SignUp: true}, unverified, signin.Standing{Account: ada, Open: true},
			signin.Refuse, nil, signin.Unverified},
		{"without a password", signin.Provider{}, known, signin.Standing{Account: ada}, signin.Adopt, ada, ""},
		{"with a password", signin.Provider{}, known, signin.Standing{Account: ada, Protected: true}, signin.Prove, ada, ""},
		{"trusted", signin.Provider{Link: true}, known, signin.Standing{Account: ada, Protected: true}, signin.Adopt, ada,
			""},
		{"another identity", signin.Provider{Link: true}, known, signin.Standing{Account: ada, Connected: true},
			signin.Refuse, ada, signin.Another},
		{"deactivated by address", signin.Provider{Link: true}, known, signin.Standing{Account: gone}, signin.Refuse, gone,
			signin.Deactivated},
		{"a bot", signin.Provider{Link: true}, known, signin.Standing{Account: bot}, signin.Refuse, nil, signin.NoAccount},
		{"open", signin.Provider{}, known, signin.Standing{Open: true}, signin.Create, nil, ""},
		{"sign-up", signin.Provider{SignUp: true}, known, signin.Standing{}, signin.Create, nil, ""},
		{"closed", signin.Provider{}, known, signin.Standing{}, signin.Refuse, nil, signin.NoAccount},
		{"connect", signin.Provider{}, unverified, signin.Standing{Caller: bob, Account: ada}, signin.Adopt, bob, ""},
		{"connect again", signin.Provider{}, known, signin.Standing{Caller: bob, Owner: bob}, signin.Enter, bob, ""},
		{"connect another's", signin.Provider{}, known, signin.Standing{Caller: bob, Owner: ada}, signin.Refuse, nil,
			signin.Taken},
		{"connect a second", signin.Provider{}, known, signin.Standing{Caller: bob, Mine: true}, signin.Refuse, nil,
			signin.Another},
	} {
		if got, who, why := signin.Decide(c.p, c.id, c.at); got != c.want || who != c.who || why != c.why {
			t.Errorf("%s: %v %v %q, want %v %v %q", c.name, got, who, why, c.want, c.who, c.why)
		}
	}
}

func TestRoleFor(t *testing.T) {
	p := signin.Provider{Roles: map[string]user.Role{"staff": user.Moderator, "it": user.Admin}}
	all := signin.Provider{Roles: map[string]user.Role{"bosses": user.Owner}}
	for _, c := range []struct {
		p         signin.Provider
		now, want user.Role
		groups    []string
	}{
		{p, user.Member, user.Admin, []string{"staff", "it"}},
		{p, user.Admin, user.Member, []string{"other"}},
		{p, user.Guest, user.Guest, nil},
		{p, user.Owner, user.Owner, []string{"staff"}},
		{all, user.Owner, user.Member, nil},
		{all, user.Admin, user.Admin, nil},
		{signin.Provider{}, user.Guest, user.Guest, []string{"staff"}},
	} {
		if got := c.p.RoleFor(c.now, c.groups); got != c.want {
			t.Errorf("%v in %v with %v: %v, want %v", c.now, c.groups, c.p.Roles, got, c.want)
		}
	}
}

func TestFullName(t *testing.T) {
	for _, c := range []struct{ name, want string }{
		{"  Ada \t Lovelace ", "Ada Lovelace"}, {"A*d`a\\", "A d a"}, {"", "ada"}, {"\u200b", "ada"}, {"Ada|12", "Ada 12"},
	} {
		if got := (signin.Identity{Name: c.name, Email: "ada@example.com"}).FullName(); got != c.want {
			t.Errorf("%q becomes %q, want %q", c.name, got, c.want)
		}
	}
	if got := (signin.Identity{Email: "*@example.com"}).FullName(); got != "New member" {
		t.Error(got)
	}
}
