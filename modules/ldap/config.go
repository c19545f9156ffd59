package ldap

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"regexp"
	"strings"
	"time"

	"github.com/go-ldap/ldap/v3"

	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
)

// Config is the configuration of the module.
type Config struct {
	Directories []directoryConfig `yaml:"directories"` // asked in this order; see modules/ldap/README.md
}

// directoryConfig configures a directory. Empty values are those of the preset, or else the defaults that the comments
// name.
type directoryConfig struct {
	ID     string `yaml:"id"`     // stable: stored with accounts; default: the preset
	Preset string `yaml:"preset"` // openldap, ad, freeipa, lldap, authentik or okta; "": any other directory
	URL    string `yaml:"url"`    // such as ldaps://ldap.example.com
	// encrypts a connection to an ldap:// URL before anything is sent
	StartTLS bool `yaml:"start_tls"`
	// sends passwords unencrypted; only for directories on the same machine
	Insecure   bool   `yaml:"insecure"`
	CAFile     string `yaml:"ca_file"`     // PEM certificates trusted in addition to the system's
	MinVersion string `yaml:"min_version"` // of TLS: 1.2 or 1.3; default 1.2

	// the service account, which searches
	BindDN       string     `yaml:"bind_dn"`
	BindPassword kit.Secret `yaml:"bind_password"`
	// file that contains the password, instead of bind_password
	BindPasswordFile string `yaml:"bind_password_file"`

	BaseDN string `yaml:"base_dn"` // below which people are
	// finds a person: %s is the name that they have entered
	UserFilter string `yaml:"user_filter"`
	// binds as people without a service account: %s is the name, such as uid=%s,ou=people,dc=example,dc=com or
	// %s@example.com
	UserDN string `yaml:"user_dn"`

	IDAttribute    string `yaml:"id_attribute"`     // never changes; default entryUUID
	UIDAttribute   string `yaml:"uid_attribute"`    // the name for logins; default uid
	EmailAttribute string `yaml:"email_attribute"`  // default mail
	NameAttribute  string `yaml:"name_attribute"`   // full name; default displayName, or else cn
	GroupAttribute string `yaml:"groups_attribute"` // DNs of a person's groups; default memberOf
	// false or 0 for people who are deactivated, in addition to the attributes that directories have for that
	ActiveAttribute string `yaml:"active_attribute"`
	// the time zone of people who get an account, as in Europe/Berlin; "": none
	TimezoneAttribute string `yaml:"timezone_attribute"`
	// makes names addresses where the address is missing: ada becomes ada@example.com
	AppendDomain string `yaml:"append_domain"`

	GroupBaseDN string `yaml:"group_base_dn"` // below which groups count; default: base_dn
	// finds a person's groups in addition to groups_attribute: %s is the person's DN, and %u their name
	GroupFilter  string `yaml:"group_filter"`
	NestedGroups bool   `yaml:"nested_groups"` // groups of groups count, by group_filter

	RequireGroups []string          `yaml:"require_groups"` // one of them is required; empty: none is
	DenyGroups    []string          `yaml:"deny_groups"`    // members are refused
	GroupsMap     map[string]string `yaml:"groups_map"`     // from groups of the directory to names of user groups
	RolesMap      map[string]string `yaml:"roles_map"`      // from groups of the directory to roles, such as admin

	Name       string `yaml:"display_name"` // what people call the directory
	Realm      string `yaml:"realm"`        // string ID of the only organization that may use it; "": all of this server
	AutoSignUp bool   `yaml:"auto_signup"`  // people without an account get one even if it needs an invitation
	// connects people to the account with their address even if it has a password; default true
	AutoLink *bool `yaml:"auto_link_verified"`

	// how many accounts a synchronization may deactivate; 0: a tenth of those connected, or 5 if that is more
	MaxDeactivations int           `yaml:"max_deactivations"`
	Timeout          time.Duration `yaml:"timeout"` // of each step at the directory; default 5s
}

var (
	validID        = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,31}$`)
	validAttribute = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9-]{0,63}$`)
)

// Validate checks the configuration.
func (c Config) Validate() error {
	var all []error
	seen := map[string]bool{}
	for i := range c.Directories {
		d := c.Directories[i].filled()
		bad := func(key, format string, args ...any) {
			all = append(all, fmt.Errorf("directories.%d.%s: %s", i, key, fmt.Sprintf(format, args...)))
		}
		switch {
		case !validID.MatchString(d.ID):
			bad("id", "want a name of up to 32 lowercase letters, digits, - and _, such as corp")
		case seen[d.ID]:
			bad("id", "another directory has the same")
		}
		seen[d.ID] = true
		if _, known := presets[d.Preset]; !known && d.Preset != "" {
			bad("preset", "want openldap, ad, freeipa, lldap, authentik or okta, or none")
		}
		d.validateConnection(bad)
		d.validateSearch(bad)
		d.validateRest(bad)
	}
	return errors.Join(all...)
}

type report func(key, format string, args ...any)

func (d directoryConfig) validateConnection(bad report) {
	u, err := d.address()
	switch {
	case d.URL == "":
		bad("url", "is missing; want a URL such as ldaps://ldap.example.com")
	case err != nil:
		bad("url", "%v", err)
	case u.Scheme == "ldaps" && d.StartTLS:
		bad("start_tls", "ldaps:// is encrypted already; remove start_tls, or use an ldap:// URL")
	case u.Scheme == "ldap" && !d.StartTLS && !d.Insecure:
		bad("url", "want ldaps://, or start_tls: true, because passwords are sent; insecure: true sends them unencrypted")
	case (u.Scheme == "ldaps" || d.StartTLS) && d.Insecure:
		bad("insecure", "has no effect with TLS; remove it")
	}
	if _, err := d.tls(); err != nil {
		bad("ca_file", "%v", err)
	}
	if d.MinVersion != "1.2" && d.MinVersion != "1.3" {
		bad("min_version", `want "1.2" or "1.3"`)
	}
	switch {
	case d.BindDN != "" && d.BindPassword == "" && d.BindPasswordFile == "":
		bad("bind_password", "is missing; set it, or bind_password_file")
	case d.BindPassword != "" && d.BindPasswordFile != "":
		bad("bind_password_file", "bind_password is set as well; remove one of them")
	case d.BindDN == "" && d.UserDN == "":
		bad("bind_dn", "is missing; name a service account that may search, or set user_dn to bind without one")
	}
	if password, err := d.password(); err != nil {
		bad("bind_password_file", "%v", err)
	} else if password == "" && d.BindPasswordFile != "" {
		bad("bind_password_file", "is empty")
	}
	if d.Timeout < 0 || d.Timeout > timeout {
		bad("timeout", "want a time from 0 to %v", timeout)
	}
}

func (d directoryConfig) validateSearch(bad report) {
	needsBase := d.BindDN != "" || !d.direct()
	if _, err := ldap.ParseDN(d.BaseDN); err != nil || d.BaseDN == "" && needsBase {
		bad("base_dn", "want a DN such as ou=people,dc=example,dc=com")
	}
	if _, err := ldap.ParseDN(d.GroupBaseDN); err != nil {
		bad("group_base_dn", "want a DN such as ou=groups,dc=example,dc=com")
	}
	if !strings.Contains(d.UserFilter, "%s") || compiles(d.userFilter("ada")) != nil {
		bad("user_filter", "want a filter of RFC 4515 with %%s, such as (uid=%%s)")
	}
	if d.GroupFilter != "" && (!strings.Contains(d.GroupFilter, "%s") || compiles(d.groupFilter("cn=a", "a")) != nil) {
		bad("group_filter", "want a filter of RFC 4515 with %%s, such as (member=%%s)")
	}
	if d.NestedGroups && d.GroupFilter == "" {
		bad("nested_groups", "needs group_filter, which finds the groups of groups")
	}
	if d.UserDN != "" && strings.Count(d.UserDN, "%s") != 1 {
		bad("user_dn", "want %%s once, such as uid=%%s,ou=people,dc=example,dc=com or %%s@example.com")
	}
	for key, name := range map[string]string{
		"id_attribute": d.IDAttribute, "uid_attribute": d.UIDAttribute, "email_attribute": d.EmailAttribute,
		"name_attribute": d.NameAttribute, "groups_attribute": d.GroupAttribute, "active_attribute": d.ActiveAttribute,
		"timezone_attribute": d.TimezoneAttribute,
	} {
		if !validAttribute.MatchString(name) && (name != "" || key != "active_attribute" && key != "timezone_attribute") {
			bad(key, "want the name of an attribute, such as mail")
		}
	}
	switch strings.ToLower(d.IDAttribute) {
	case "dn", "distinguishedname", "cn", "mail":
		bad("id_attribute", "want an attribute that never changes, such as entryUUID: another person could get this value")
	}
}

func (d directoryConfig) validateRest(bad report) {
	for name, role := range d.RolesMap {
		if _, ok := roles[role]; !ok {
			bad("roles_map."+name, "want owner, admin, moderator, member or guest")
		}
	}
	if d.AppendDomain != "" {
		if _, err := user.CheckEmail("ada@" + d.AppendDomain); err != nil {
			bad("append_domain", "want a domain, such as example.com")
		}
	}
	if d.MaxDeactivations < 0 {
		bad("max_deactivations", "want a number from 0")
	}
}

func compiles(filter string) error {
	_, err := ldap.CompileFilter(filter)
	return err
}

// roles are the roles that roles_map can name.
var roles = map[string]user.Role{
	"owner": user.Owner, "admin": user.Admin, "moderator": user.Moderator, "member": user.Member, "guest": user.Guest,
}

// timeout is the time that each step at a directory may take, by default and at most.
const timeout = 5 * time.Second

// direct reports whether people bind by a DN that is made of their name.
func (d directoryConfig) direct() bool { return strings.Contains(d.UserDN, "=") }

// address returns the parsed URL.
func (d directoryConfig) address() (*url.URL, error) {
	u, err := url.Parse(d.URL)
	if err != nil || u.Hostname() == "" || u.Scheme != "ldap" && u.Scheme != "ldaps" || strings.Trim(u.Path, "/") != "" ||
		u.User != nil || u.RawQuery != "" {
		return nil, errors.New("want a URL such as ldaps://ldap.example.com or ldap://127.0.0.1:389")
	}
	if u.Port() == "" {
		u.Host = net.JoinHostPort(u.Hostname(), map[string]string{"ldap": "389", "ldaps": "636"}[u.Scheme])
	}
	return u, nil
}

// tls returns the configuration of TLS.
func (d directoryConfig) tls() (*tls.Config, error) {
	u, err := d.address()
	if err != nil {
		return nil, nil //nolint:nilerr // reported with the URL
	}
	cfg := &tls.Config{ServerName: u.Hostname(), MinVersion: tls.VersionTLS12}
	if d.MinVersion == "1.3" {
		cfg.MinVersion = tls.VersionTLS13
	}
	if d.CAFile == "" {
		return cfg, nil
	}
	pem, err := os.ReadFile(d.CAFile)
	if err != nil {
		return nil, err
	}
	if cfg.RootCAs, err = x509.SystemCertPool(); err != nil {
		cfg.RootCAs = x509.NewCertPool()
	}
	if !cfg.RootCAs.AppendCertsFromPEM(pem) {
		return nil, errors.New("contains no certificate in PEM")
	}
	return cfg, nil
}

// password returns the password of the service account.
func (d directoryConfig) password() (string, error) { return d.BindPassword.OrFile(d.BindPasswordFile) }
