package realm

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"strings"
	"sync"
	"time"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/modules/kit"
)

// created is the entry of a new realm's record; no client can be there to hear of it.
var created = kit.Event[kit.None]("realm", "created")

// placesFor is how long another process's new realm may stay unknown here.
const placesFor = time.Second

// places remembers which realms there are, since every request asks.
type places struct {
	mu   sync.Mutex
	all  []place
	read time.Time
}

// forget makes the next question read again.
func (p *places) forget() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.all = nil
}

func (s *service) known(ctx context.Context) ([]place, error) {
	now := s.Clock.Now()
	s.places.mu.Lock()
	all, fresh := s.places.all, now.Sub(s.places.read) < placesFor
	s.places.mu.Unlock()
	if len(all) > 0 && fresh {
		return all, nil
	}
	all, err := s.store.Places(ctx)
	if err != nil {
		return nil, err
	}
	s.places.mu.Lock()
	defer s.places.mu.Unlock()
	s.places.all, s.places.read = all, now
	return all, nil
}

// Resolve finds a host's realm; see ports.Realms.
func (s *service) Resolve(ctx context.Context, host string) (realm.ID, error) {
	all, err := s.known(ctx)
	if err != nil {
		return 0, err
	}
	if len(all) == 1 {
		return all[0].ID, nil
	}
	id := s.subdomain(strings.ToLower(strings.TrimSuffix(host, ".")))
	for _, p := range all {
		if p.StringID == id {
			return p.ID, nil
		}
	}
	return 0, errs.New(errs.NonexistentSubdomain, "Invalid subdomain")
}

// subdomain gives the string id that a host stands for; without a configured domain, its first label.
func (s *service) subdomain(host string) string {
	if s.cfg.Domain == "" {
		first, _, _ := strings.Cut(host, ".")
		return first
	}
	if sub, ok := strings.CutSuffix(host, "."+strings.ToLower(s.cfg.Domain)); ok {
		return sub
	}
	if host == strings.ToLower(s.cfg.Domain) {
		return ""
	}
	return host // no string id has a dot
}

// All gives the realms; see ports.Realms.
func (s *service) All(ctx context.Context) ([]realm.ID, error) {
	all, err := s.store.Places(ctx)
	ids := make([]realm.ID, len(all))
	for i, p := range all {
		ids[i] = p.ID
	}
	return ids, err
}

// Create makes a realm; see ports.Realms.
func (s *service) Create(ctx context.Context, name, stringID string) (realm.ID, error) {
	stringID = strings.ToLower(strings.TrimSpace(stringID))
	if strings.Trim(stringID, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" || len(stringID) > 40 ||
		strings.HasPrefix(stringID, "-") || strings.HasSuffix(stringID, "-") {
		return 0, errs.Bad("Subdomain can only have lowercase letters, numbers, and '-'s.")
	}
	settings, _, err := realm.Defaults().With(map[string]any{"name": name})
	if err != nil {
		return 0, err
	}
	return kit.Tx(ctx, s.Work, func(ctx context.Context) (realm.ID, error) {
		r := &realm.Realm{StringID: stringID, UUID: newUUID(), MailDomain: s.cfg.MailDomain, Created: s.Clock.Now(), Settings: settings}
		if err := s.store.Insert(ctx, r); err != nil {
			return 0, err
		}
		s.Work.AfterCommit(ctx, func(context.Context) { s.places.forget() })
		entry := created.To(r.ID, event.None(), kit.None{}).Changing(directory.OfRealm(nil, r))
		if err := s.Log.Append(ctx, entry); err != nil {
			return 0, err
		}
		return r.ID, s.Hooks.Run(ctx, &realm.Created{Realm: r})
	})
}

// newUUID makes a random UUID (version 4).
func newUUID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	h := hex.EncodeToString(b[:])
	return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
}
