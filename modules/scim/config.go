package scim

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/scim/internal/schema"
)

// Config is the configuration of the module.
type Config struct {
	// where the address of an account is: userName, or emails if people's user names are no addresses
	EmailSource string `yaml:"email_source"`
	// the highest role that clients can give: owner, admin, moderator, member or guest; they cannot change the address or
	// the role of accounts with a higher one
	MaxRole string `yaml:"max_role"`
	// a new person gets the deactivated account with their address, instead of an error
	Adopt bool `yaml:"adopt"`
	// from attributes to names of profile fields: title, or of the enterprise extension department, division,
	// organization, costCenter, employeeNumber or manager
	ProfileFields map[string]string `yaml:"profile_fields"`
}

const (
	fromUserName = "userName"
	fromEmails   = "emails"
)

var roles = map[string]user.Role{
	"owner": user.Owner, "admin": user.Admin, "moderator": user.Moderator, "member": user.Member, "guest": user.Guest,
}

// roleName returns the name of a role.
func roleName(r user.Role) string {
	for name, role := range roles {
		if role == r {
			return name
		}
	}
	return ""
}

var mapped = []string{"title", "department", "division", "organization", "costCenter", "employeeNumber", "manager"}

// Validate checks the configuration.
func (c Config) Validate() error {
	var all []error
	if c.EmailSource != fromUserName && c.EmailSource != fromEmails {
		all = append(all, errors.New("email_source: want userName or emails"))
	}
	if _, ok := roles[c.MaxRole]; !ok {
		all = append(all, fmt.Errorf("max_role: want one of %s", strings.Join(schema.Roles(), ", ")))
	}
	for name := range c.ProfileFields {
		if !slices.Contains(mapped, name) {
			all = append(all, fmt.Errorf("profile_fields.%s: want one of %s", name, strings.Join(mapped, ", ")))
		}
	}
	return errors.Join(all...)
}
