package realm

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/modules/kit"
)

// created logs that a realm was created. No clients can receive it yet.
var created = kit.Event[kit.None]("realm", "created").Internal()

// cacheLifetime is how long the cache of realms is valid. Realms created by other processes are found after at most
// that time.
const cacheLifetime = time.Second

// realmCache caches the list of realms, because every request needs it.
type realmCache struct {
	mu   sync.Mutex
	all  []realmRef
	read time.Time
}

// invalidate invalidates the cache.
func (c *realmCache) invalidate() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.all = nil
}

func (s *service) cachedRealms(ctx context.Context) ([]realmRef, error) {
	now := s.Clock.Now()
	s.cache.mu.Lock()
	all, fresh := s.cache.all, now.Sub(s.cache.read) < cacheLifetime
	s.cache.mu.Unlock()
	if len(all) > 0 && fresh {
		return all, nil
	}
	all, err := s.store.Refs(ctx)
	if err != nil {
		return nil, err
	}
	s.cache.mu.Lock()
	defer s.cache.mu.Unlock()
	s.cache.all, s.cache.read = all, now
	return all, nil
}

// Resolve returns the realm at a host name; see ports.Realms.
func (s *service) Resolve(ctx context.Context, host string) (realm.ID, error) {
	all, err := s.cachedRealms(ctx)
	if err != nil {
		return 0, err
	}
	if s.cfg.Domain == "" && len(all) < 2 {
		for _, p := range all {
			return p.ID, nil
		}
		return 0, nil
	}
	id := s.subdomain(strings.ToLower(strings.TrimSuffix(host, ".")))
	for _, p := range all {
		if p.StringID == id {
			return p.ID, nil
		}
	}
	if id == "" {
		return 0, nil
	}
	return 0, errs.New(errs.NonexistentSubdomain, "Invalid subdomain")
}

// subdomain returns the string ID of the realm at a host name. If no domain is configured, that is the first label of
// the host name. Host names outside the domain return a string that no realm has as its ID.
func (s *service) subdomain(host string) string {
	if s.cfg.Domain == "" {
		first, _, _ := strings.Cut(host, ".")
		return first
	}
	if sub, ok := strings.CutSuffix(host, "."+strings.ToLower(s.cfg.Domain)); ok && sub != "" {
		return sub
	}
	if host == strings.ToLower(s.cfg.Domain) {
		return ""
	}
	return host + "." // string IDs contain no dots
}

type subdomainReq struct {
	Subdomain string `json:"subdomain"`
}

// availability is a response whose msg is "available" or the reason why a subdomain cannot be used.
type availability struct {
	kit.None
	msg string
}

// Msg returns the msg of the response; see kit.Handler.
func (a availability) Msg() string { return a.msg }

// checkSubdomain handles GET /realm/subdomain/{subdomain}.
func (s *service) checkSubdomain(ctx context.Context, _ kit.Actor, in subdomainReq) (availability, error) {
	id, err := realm.CheckStringID(in.Subdomain)
	if err != nil {
		var why *errs.Error
		if errors.As(err, &why) {
			return availability{msg: why.Msg}, nil
		}
		return availability{}, err
	}
	all, err := s.cachedRealms(ctx)
	if err != nil {
		return availability{}, err
	}
	if slices.ContainsFunc(all, func(p realmRef) bool { return p.StringID == id }) {
		return availability{msg: errSubdomainInUse().Msg}, nil
	}
	return availability{msg: "available"}, nil
}

func errSubdomainInUse() *errs.Error {
	return errs.Bad("Subdomain already in use. Please choose a different one.")
}

// All returns all realms; see ports.Realms.
func (s *service) All(ctx context.Context) ([]realm.ID, error) {
	all, err := s.store.Refs(ctx)
	ids := make([]realm.ID, len(all))
	for i, p := range all {
		ids[i] = p.ID
	}
	return ids, err
}

// Active returns the realms that are not deactivated; see ports.Realms.
func (s *service) Active(ctx context.Context) ([]realm.ID, error) { return s.store.Active(ctx) }

// Create creates a realm; see ports.Realms.
func (s *service) Create(ctx context.Context, name, stringID string) (realm.ID, error) {
	if stringID = strings.TrimSpace(stringID); stringID != "" {
		var err error
		if stringID, err = realm.CheckStringID(stringID); err != nil {
			return 0, err
		}
	}
	settings, _, err := realm.Defaults().With(map[string]any{"name": strings.TrimSpace(name)})
	if err != nil {
		return 0, err
	}
	return kit.Tx(ctx, s.Work, func(ctx context.Context) (realm.ID, error) {
		if all, err := s.store.Refs(ctx); err != nil {
			return 0, err
		} else if len(all) > 0 && s.cfg.Domain == "" { // realms need distinct subdomains of the domain
			return 0, errs.Bad("There is already a realm. To have several, set modules.realm.domain to the host name of " +
				"the root organization.")
		}
		r := &realm.Realm{
			StringID:   stringID,
			UUID:       newUUID(),
			MailDomain: s.cfg.MailDomain,
			Created:    s.Clock.Now(),
			Settings:   settings,
		}
		if err := s.store.Insert(ctx, r); err != nil {
			return 0, err
		}
		s.Work.AfterCommit(ctx, func(context.Context) { s.cache.invalidate() })
		entry := created.To(r.ID, event.None(), kit.None{}).Changing(directory.OfRealm(nil, r))
		if err := s.Log.Append(ctx, entry); err != nil {
			return 0, err
		}
		return r.ID, s.Hooks.Run(ctx, &realm.Created{Realm: r})
	})
}

// newUUID returns a random UUID (version 4).
func newUUID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	h := hex.EncodeToString(b[:])
	return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
}
