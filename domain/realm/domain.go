package realm

import (
	"slices"
	"strings"

	"github.com/stoachat/stoa/domain/errs"
)

// Domain is an email domain allowed by a realm with emails_restricted_to_domains.
type Domain struct {
	ID         int64  `json:"id"`
	Name       string `json:"domain"`
	Subdomains bool   `json:"allow_subdomains"` // also allows all subdomains
}

// Maximum number of domains, and maximum lengths of domains and labels in bytes.
const (
	maxDomains    = 500
	maxDomainName = 255
	maxLabel      = 63
)

// CheckDomain validates a domain name and returns its stored form. Errors: BadRequest.
func CheckDomain(sent string) (string, error) {
	name := strings.ToLower(strings.TrimSpace(sent))
	labels := strings.Split(name, ".")
	switch {
	case name == "":
		return "", errs.Bad("Domain can't be empty.")
	case len(labels) < 2:
		return "", errs.Bad("Domain must have at least one dot (.)")
	case len(name) > maxDomainName:
		return "", errs.Bad("domain is too long (limit: %d characters)", maxDomainName)
	case slices.ContainsFunc(labels, func(l string) bool { return !label(l) }):
		return "", errs.Bad(
			"Invalid domain: labels may contain letters, digits and hyphens, and must not begin or end with a hyphen.",
		)
	}
	return name, nil
}

func label(l string) bool {
	odd := func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '-' }
	return l != "" && len(l) <= maxLabel && !strings.ContainsFunc(l, odd) && l[0] != '-' && l[len(l)-1] != '-'
}

// Domain returns the domain with the given name in stored form.
func (r *Realm) Domain(name string) (Domain, bool) {
	i := slices.IndexFunc(r.Domains, func(d Domain) bool { return d.Name == name })
	if i < 0 {
		return Domain{}, false
	}
	return r.Domains[i], true
}

// WithDomain returns the realm with an added domain, and that domain. Errors: BadRequest.
func (r *Realm) WithDomain(name string, subdomains bool) (*Realm, Domain, error) {
	if _, had := r.Domain(name); had {
		return nil, Domain{}, errs.Bad("The domain %s is already allowed.", name)
	}
	if len(r.Domains) >= maxDomains {
		return nil, Domain{}, errs.Bad("Too many domains (limit: %d)", maxDomains)
	}
	now := *r
	now.LastDomain++
	d := Domain{now.LastDomain, name, subdomains}
	now.Domains = append(slices.Clone(r.Domains), d)
	return &now, d, nil
}

// ReplacingDomain returns the realm with the named domain replaced; nil removes it. Removing the last one ends the
// restriction to domains.
func (r *Realm) ReplacingDomain(name string, by *Domain) *Realm {
	now := *r
	now.Domains = nil
	for _, d := range r.Domains {
		switch {
		case d.Name != name:
			now.Domains = append(now.Domains, d)
		case by != nil:
			now.Domains = append(now.Domains, *by)
		}
	}
	if len(now.Domains) == 0 {
		now.Settings.EmailsRestrictedToDomains = false
	}
	return &now
}

// CheckEmail refuses addresses that the realm does not allow: with restricted domains, other domains and local parts
// with a +, which give one mailbox any number of addresses; otherwise disposable addresses if the realm disallows
// them. Errors: BadRequest.
func (r *Realm) CheckEmail(email string) error {
	at := strings.LastIndexByte(email, '@')
	local, host := email[:max(at, 0)], strings.ToLower(email[at+1:])
	if !r.Settings.EmailsRestrictedToDomains {
		if r.Settings.DisallowDisposableEmailAddresses && Disposable(host) {
			return errs.Bad("Disposable email addresses are not allowed in this organization.")
		}
		return nil
	}
	if strings.Contains(local, "+") {
		return errs.Bad("Email addresses containing + are not allowed.")
	}
	if !slices.ContainsFunc(
		r.Domains,
		func(d Domain) bool { return d.Name == host || d.Subdomains && strings.HasSuffix(host, "."+d.Name) },
	) {
		return errs.Bad("Email addresses of %s are not allowed in this organization.", host)
	}
	return nil
}
