package realm

import (
	"context"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/setting"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
)

// domain is an allowed email domain as sent to clients.
type domain struct {
	Name       string `json:"domain"`
	Subdomains bool   `json:"allow_subdomains"`
}

// domainPayload is the payload of events about an added or changed domain.
type domainPayload struct {
	Domain domain `json:"realm_domain"`
}

// removedDomain is the payload of events about a removed domain.
type removedDomain struct {
	Name string `json:"domain"`
}

var (
	domainAdded   = kit.Event[domainPayload]("realm_domains", "add")
	domainChanged = kit.Event[domainPayload]("realm_domains", "change")
	domainRemoved = kit.Event[removedDomain]("realm_domains", "remove")
)

func domainsOf(r *realm.Realm) []domain {
	out := make([]domain, len(r.Domains))
	for i, d := range r.Domains {
		out[i] = domain{d.Name, d.Subdomains}
	}
	return out
}

type domainsSection struct {
	Domains []domain `json:"realm_domains"`
}

func (s *service) domainsSection(ctx context.Context, a kit.Actor, _ event.Client) (domainsSection, error) {
	v, err := s.Directory.View(ctx, a.Realm)
	if err != nil {
		return domainsSection{}, err
	}
	return domainsSection{domainsOf(v.Realm())}, nil
}

type domainsRes struct {
	Domains []domain `json:"domains"`
}

func (s *service) domains(ctx context.Context, a kit.Actor, _ kit.None) (domainsRes, error) {
	v, err := s.Directory.View(ctx, a.Realm)
	if err != nil {
		return domainsRes{}, err
	}
	return domainsRes{domainsOf(v.Realm())}, nil
}

type addDomainReq struct {
	Name       string `json:"domain"`
	Subdomains bool   `json:"allow_subdomains"`
}

type addDomainRes struct {
	New [2]any `json:"new_domain" forms:"array of integer or string"` // ID and name
}

// addDomain handles POST /realm/domains. Errors: BadRequest, UnauthorizedPrincipal.
func (s *service) addDomain(ctx context.Context, a kit.Actor, in addDomainReq) (addDomainRes, error) {
	name, err := realm.CheckDomain(in.Name)
	if err != nil {
		return addDomainRes{}, err
	}
	return kit.Tx(ctx, s.Work, func(ctx context.Context) (addDomainRes, error) {
		_, old, err := s.ownedRealm(ctx, a)
		if err != nil {
			return addDomainRes{}, err
		}
		now, d, err := old.WithDomain(name, in.Subdomains)
		if err != nil {
			return addDomainRes{}, err
		}
		added := domainAdded.To(a.Realm, event.Everyone(), domainPayload{domain{d.Name, d.Subdomains}})
		return addDomainRes{[2]any{d.ID, d.Name}}, s.save(ctx, old, now, added)
	})
}

type changeDomainReq struct {
	Name       string `json:"domain"`
	Subdomains bool   `json:"allow_subdomains"`
}

// changeDomain handles PATCH /realm/domains/{domain}. Errors: BadRequest, UnauthorizedPrincipal.
func (s *service) changeDomain(ctx context.Context, a kit.Actor, in changeDomainReq) (kit.None, error) {
	return kit.None{}, s.Work.Do(ctx, func(ctx context.Context) error {
		_, old, err := s.ownedRealm(ctx, a)
		if err != nil {
			return err
		}
		d, err := existingDomain(old, in.Name)
		if err != nil || d.Subdomains == in.Subdomains {
			return err
		}
		d.Subdomains = in.Subdomains
		return s.save(
			ctx,
			old,
			old.ReplacingDomain(d.Name, &d),
			domainChanged.To(a.Realm, event.Everyone(), domainPayload{domain{d.Name, d.Subdomains}}),
		)
	})
}

type removeDomainReq struct {
	Name string `json:"domain"`
}

// removeDomain handles DELETE /realm/domains/{domain}. Removing the last domain also disables
// emails_restricted_to_domains. Errors: BadRequest, UnauthorizedPrincipal.
func (s *service) removeDomain(ctx context.Context, a kit.Actor, in removeDomainReq) (kit.None, error) {
	return kit.None{}, s.Work.Do(ctx, func(ctx context.Context) error {
		v, old, err := s.ownedRealm(ctx, a)
		if err != nil {
			return err
		}
		d, err := existingDomain(old, in.Name)
		if err != nil {
			return err
		}
		now := old.ReplacingDomain(d.Name, nil)
		events := []event.Event{domainRemoved.To(a.Realm, event.Everyone(), removedDomain{d.Name})}
		if now.Settings.EmailsRestrictedToDomains != old.Settings.EmailsRestrictedToDomains {
			derived, err := s.events(ctx, v, now, []setting.Change{{Name: "emails_restricted_to_domains", Value: false}})
			if err != nil {
				return err
			}
			events = append(events, derived...)
		}
		return s.save(ctx, old, now, events...)
	})
}

func existingDomain(r *realm.Realm, sent string) (realm.Domain, error) {
	name, err := realm.CheckDomain(sent)
	if err != nil {
		return realm.Domain{}, err
	}
	d, ok := r.Domain(name)
	if !ok {
		return d, errs.Bad("No entry found for domain %s.", name)
	}
	return d, nil
}

// ownedRealm returns the view and the realm. The caller must be an owner in the view; the role may have changed since
// the request arrived. Errors: UnauthorizedPrincipal.
func (s *service) ownedRealm(ctx context.Context, a kit.Actor) (*directory.View, *realm.Realm, error) {
	v, err := s.Directory.View(ctx, a.Realm)
	if err != nil {
		return nil, nil, err
	}
	if err := permission.CheckRole(v, a, user.Owner); err != nil {
		return nil, nil, err
	}
	return v, v.Realm(), nil
}

// save stores a changed realm and appends events. There must be at least one event.
func (s *service) save(ctx context.Context, old, now *realm.Realm, events ...event.Event) error {
	if err := s.store.Update(ctx, now); err != nil {
		return err
	}
	events[0] = events[0].Changing(directory.OfRealm(old, now))
	return s.Log.Append(ctx, events...)
}
