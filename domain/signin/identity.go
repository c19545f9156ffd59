package signin

import (
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/session"
	"github.com/stoachat/stoa/domain/user"
)

// Provider is an identity provider: a system outside of the server that tells who somebody is.
type Provider struct {
	ID   string // stable, such as "oidc:corp"; stored with each identity
	Name string // shown to users, such as "Example Corp"

	// SignUp creates accounts even if the organization requires invitations.
	SignUp   bool
	NoSignUp bool // creates no accounts, even if the organization is open to everybody
	// ByAddress means that the provider identifies people by their present address only, so that no identity is stored.
	ByAddress bool
	// Link connects an identity to the account with its verified address without asking for the account's password.
	Link   bool
	Groups map[string]string // from groups at the provider to the names of user groups, whose members follow
	// Follow changes the name and the address of a connected account when they change at the provider.
	Follow bool
	// FollowName does the same for the name only.
	FollowName bool
	// RevokeKeys revokes the API keys of a person whose sessions the provider ends.
	RevokeKeys bool
	// CrossSite is set if the provider's answers come with forms of its own site, to which browsers add only cookies that
	// allow it.
	CrossSite bool
	Roles     map[string]user.Role // from groups at the provider to roles, of which the highest counts
}

// RoleFor returns the role that follows for a user from groups at the provider: the highest that they give. A role that
// the provider gives, but no longer to this user, becomes that of a member; other roles stay, and owners are only
// changed by a provider that makes some.
func (p Provider) RoleFor(now user.Role, groups []string) user.Role {
	given, best := map[user.Role]bool{}, user.Role(0)
	for at, role := range p.Roles {
		given[role] = true
		if slices.Contains(groups, at) && (best == 0 || role < best) {
			best = role
		}
	}
	switch {
	case now == user.Owner && !given[user.Owner]:
		return now
	case best != 0:
		return best
	case given[now]:
		return user.Member
	}
	return now
}

// Identity is what a provider has verified about a person.
type Identity struct {
	Subject  string    // identifies the person at the provider for ever
	Email    string    // "": unknown
	Verified bool      // the provider has verified that the address is the person's
	Name     string    // "": unknown
	Language string    // of a new account, as in RFC 5646; "": the organization's
	Timezone string    // of a new account, as in the IANA database; "": unknown
	Ends     time.Time // when the provider's session ends, and the one here at the latest; zero: unknown
	Session  string    // the provider's name for its own session, for logging out; "": unknown
	Groups   []string

	// SecondFactor is set if the provider has asked for a second factor itself, and is trusted with it.
	SecondFactor bool
}

// Connection is the connection of an account to an identity.
type Connection struct {
	User    user.ID
	Subject string
}

// MaxSubject is the maximum length of a subject in bytes; see OpenID Connect Core 1.0, section 2.
const MaxSubject = 255

// ValidSubject reports whether a subject can be stored and compared: printable ASCII.
func ValidSubject(s string) bool {
	return s != "" && len(s) <= MaxSubject && !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r > '~' })
}

// Elsewhere is where a person whose session here has ended is still logged in.
type Elsewhere struct {
	Name string // of the provider
	URL  string // the page to log out there
}

// StillLoggedIn is a query for where a person is logged in who logs out of a session. identities returns an Elsewhere,
// which is zero if the session began here.
type StillLoggedIn struct {
	Realm   realm.ID
	Session session.ID
}

// LogoutPage is a query for the page to log out of a provider, asked of all modules, of which the provider's returns an
// Elsewhere. Return is the URL to which the provider sends the browser back.
type LogoutPage struct {
	Provider string
	Subject  string // of the person there
	Address  string // of the organization; "": not configured
	Return   string
}

// Intent is what a person wants to do at a provider.
type Intent string

// The intents.
const (
	LogIn   Intent = "login"
	Connect Intent = "link" // connect an identity to the account that is logged in
)

// Limits of a flow.
const (
	FlowLife    = 10 * time.Minute // from the start until the provider's answer, and for each page after it
	AppFlowLife = time.Hour        // the same if an app waits
	MaxTries    = 5                // passwords that may be tried to connect one identity
)

// Started is a login that continues at a provider.
type Started struct {
	State    string // identifies the flow, and is returned by the provider
	Nonce    string // contained in the provider's signed answer
	Verifier string // PKCE code verifier, RFC 7636
	Browser  string // the value of the browser's cookie
	Intent   Intent
	User     user.ID // who is logged in, for Connect
	Flow     Flow
}

// Standing is what an organization knows about an identity.
type Standing struct {
	Owner     *user.User // the account that the identity is connected to; nil: none
	Account   *user.User // the account with the identity's address; nil: none
	Connected bool       // Account is connected to another identity of the same provider
	Protected bool       // Account has a password
	Open      bool       // people can join without an invitation
	Caller    *user.User // who connects the identity; nil unless the intent is Connect
	Mine      bool       // Caller is connected to another identity of the same provider
}

// Verdict is what to do with an identity.
type Verdict int

// The verdicts.
const (
	Refuse Verdict = iota
	Enter          // log in as Standing.Owner
	Adopt          // connect the identity to the account, and log in
	Prove          // connect it once the person has proven that the account is theirs
	Create         // create an account, connect and log in
)

// Reason says why an identity is refused. The audit log contains it; the person sees Text.
type Reason string

// The reasons.
const (
	Deactivated  Reason = "account_deactivated"
	Taken        Reason = "identity_of_another_account"
	Another      Reason = "account_has_another_identity"
	Unverified   Reason = "address_not_verified"
	NoAddress    Reason = "no_address"
	NoAccount    Reason = "no_account"
	BadAnswer    Reason = "invalid_answer"       // of the provider
	BadFlow      Reason = "invalid_flow"         // unknown, expired, used, or of another browser
	Denied       Reason = "denied"               // by the person, or by the provider
	Unreachable  Reason = "provider_failed"      // did not respond, or with an error
	Outside      Reason = "domain_or_group"      // the provider's configuration excludes the person
	Protected    Reason = "account_has_password" // and cannot be asked for it
	Inadmissible Reason = "account_forbidden"    // the organization's rules forbid the address or the name
)

// RefusalError is the error for an identity that may not enter.
type RefusalError struct {
	Why Reason
	On  *user.User // the account that was refused; nil: none
}

func (r *RefusalError) Error() string { return string(r.Why) }

// Decide returns what to do with an identity, and the account, which is nil for Create. It never returns an account
// that an unverified address names.
func Decide(p Provider, id Identity, s Standing) (Verdict, *user.User, Reason) {
	if s.Caller != nil {
		switch {
		case s.Owner != nil && s.Owner.ID == s.Caller.ID:
			return Enter, s.Caller, ""
		case s.Owner != nil:
			return Refuse, nil, Taken
		case s.Mine:
			return Refuse, nil, Another
		}
		return Adopt, s.Caller, ""
	}
	switch {
	case s.Owner != nil && !s.Owner.Active:
		return Refuse, s.Owner, Deactivated
	case s.Owner != nil:
		return Enter, s.Owner, ""
	case id.Email == "":
		return Refuse, nil, NoAddress
	case !id.Verified:
		return Refuse, nil, Unverified
	}
	if a := s.Account; a != nil {
		switch {
		case a.IsBot() || a.System:
			return Refuse, nil, NoAccount
		case !a.Active:
			return Refuse, a, Deactivated
		case s.Connected:
			return Refuse, a, Another
		case s.Protected && !p.Link:
			return Prove, a, ""
		}
		return Adopt, a, ""
	}
	if !p.NoSignUp && (p.SignUp || s.Open) {
		return Create, nil, ""
	}
	return Refuse, nil, NoAccount
}

// FullName returns a name for a new account, from what a provider tells.
func (id Identity) FullName() string {
	name := strings.Map(func(r rune) rune {
		if strings.ContainsRune("*`\\>\"@|", r) || !user.IsVisible(r) && r != ' ' {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(id.Name, ""))
	name = strings.Join(strings.Fields(name), " ")
	for utf8.RuneCountInString(name) > user.MaxName {
		_, size := utf8.DecodeLastRuneInString(name)
		name = strings.TrimSpace(name[:len(name)-size])
	}
	if checked, err := user.CheckName(name); err == nil {
		return checked
	}
	local, _, _ := strings.Cut(id.Email, "@")
	if checked, err := user.CheckName(local); err == nil {
		return checked
	}
	return "New member"
}
