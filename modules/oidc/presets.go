package oidc

import (
	"slices"
	"strings"
)

// preset holds what is peculiar to a well-known provider.
type preset struct {
	name, issuer, groupsClaim string

	// subject returns the subject of the claims; nil: the claim sub.
	subject func(c claims) string
	// verified reports whether the address is verified; nil: the claim email_verified.
	verified func(p providerConfig, c claims) bool
	// domain returns the domain that allowed_domains is about; nil: that of the address.
	domain func(c claims) string
	// scopes returns the scopes to ask for; nil: those of OpenID Connect.
	scopes func(p providerConfig) []string
	// formPost is set if the provider's answers come with a form.
	formPost bool
}

var presets = map[string]preset{
	"google": {
		name: "Google", issuer: "https://accounts.google.com",
		// A Google account may have any address; only the claim hd tells that it belongs to a Workspace domain.
		domain: func(c claims) string { return c.text("hd") },
	},
	"gitlab": {name: "GitLab", issuer: "https://gitlab.com", groupsClaim: "groups_direct"},
	"github": {
		name: "GitHub", issuer: "https://github.com",
		scopes: func(p providerConfig) []string {
			if p.wantsGroups() {
				return []string{"user:email", "read:org"}
			}
			return []string{"user:email"}
		},
	},
	"apple": {
		name: "Apple", issuer: "https://appleid.apple.com", formPost: true,
		scopes: func(providerConfig) []string { return []string{"openid", "email", "name"} },
	},
	"azuread": {
		name: "Microsoft", issuer: "https://login.microsoftonline.com/organizations/v2.0",
		// sub differs between applications; oid is the person's in a tenant.
		subject: func(c claims) string {
			if c.text("oid") == "" || c.text("tid") == "" {
				return ""
			}
			return c.text("oid") + "@" + c.text("tid")
		},
		// Administrators of any tenant can give an account any address, so that an address counts only if the
		// organization's own tenant is the only one, or the claim xms_edov says that its domain is verified.
		verified: func(p providerConfig, c claims) bool {
			return !p.manyTenants() || c.truth("xms_edov")
		},
	},
}

// wantsGroups reports whether the configuration needs a person's groups.
func (p providerConfig) wantsGroups() bool {
	return len(p.GroupsMap)+len(p.RolesMap)+len(p.AllowedGroups) > 0
}

// entra is the beginning of issuers of Microsoft Entra ID.
const entra = "https://login.microsoftonline.com/"

// manyTenants reports whether the issuer is that of many tenants of Microsoft Entra ID.
func (p providerConfig) manyTenants() bool {
	if p.Preset != "azuread" {
		return false
	}
	tenant, _, _ := strings.Cut(strings.TrimPrefix(p.Issuer, entra), "/")
	return slices.Contains([]string{"common", "organizations", "consumers"}, tenant)
}

// issuerOf returns the issuer that a token with these claims must have.
func (p providerConfig) issuerOf(c claims) string {
	if !p.manyTenants() {
		return p.Issuer
	}
	tenant := c.text("tid")
	if !slices.Contains(p.AllowedTenants, tenant) {
		return ""
	}
	return entra + tenant + "/v2.0"
}
