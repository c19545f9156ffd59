package exports

import (
	"context"
	"crypto/rand"
	"strings"

	"github.com/stoachat/stoa/domain/audit"
	"github.com/stoachat/stoa/domain/blob"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/export"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
)

// list handles GET /export/realm.
func (s *service) list(ctx context.Context, a kit.Actor, _ kit.None) (listWire, error) {
	all, err := s.rows.Of(ctx, a.Realm)
	return listWire{toWire(all, a.Role, a.URL)}, err
}

type startReq struct {
	Type export.Type `json:"export_type" default:"public"`
}

type startRes struct {
	ID export.ID `json:"id"`
}

// start handles POST /export/realm. Errors: BadRequest, UnauthorizedPrincipal.
func (s *service) start(ctx context.Context, a kit.Actor, in startReq) (startRes, error) {
	v, err := s.checkStart(ctx, a, in.Type)
	if err != nil {
		return startRes{}, err
	}
	now := s.Clock.Now()
	size, err := s.estimateSize(ctx, export.ScopeOf(v, in.Type, now))
	if err != nil {
		return startRes{}, err
	}
	if err := export.CheckSize(size); err != nil {
		return startRes{}, err
	}
	e := export.Export{
		Realm:       a.Realm,
		By:          a.User,
		Type:        in.Type,
		URL:         a.URL,
		Token:       strings.ToLower(rand.Text()),
		RequestedAt: now,
	}
	return kit.Tx(ctx, s.Work, func(ctx context.Context) (startRes, error) {
		if _, err := s.Log.Lock(ctx, a.Realm); err != nil {
			return startRes{}, err
		}
		if _, err := s.checkStart(ctx, a, in.Type); err != nil {
			return startRes{}, err
		}
		id, err := s.rows.Insert(ctx, &e)
		if err != nil {
			return startRes{}, err
		}
		e.ID = id
		if err := s.record(ctx, audit.ExportStarted, &e); err != nil {
			return startRes{}, err
		}
		s.Work.AfterCommit(ctx, s.backlog.Added)
		return startRes{id}, s.Log.Append(ctx, changed.To(a.Realm, event.Admins(), listChanged{}))
	})
}

// checkStart checks that the caller can start an export now, and returns the view. Errors: BadRequest,
// UnauthorizedPrincipal.
func (s *service) checkStart(ctx context.Context, a kit.Actor, t export.Type) (*directory.View, error) {
	v, err := s.Directory.View(ctx, a.Realm)
	if err != nil {
		return nil, err
	}
	u := v.User(a.User)
	if u == nil || !u.IsAdmin() {
		return nil, permission.RoleRequired(user.Admin)
	}
	if err := export.CheckType(t, &v.Realm().Settings, u.Role); err != nil {
		return nil, err
	}
	n, err := s.rows.Since(ctx, a.Realm, s.Clock.Now().Add(-export.Period))
	if err != nil {
		return nil, err
	}
	return v, export.CheckRecent(n)
}

// estimateSize returns the sum of the sizes that modules report for their tables.
func (s *service) estimateSize(ctx context.Context, scope *export.Scope) (export.Size, error) {
	var sum export.Size
	for _, t := range s.Collected.Tables() {
		if t.Size == nil {
			continue
		}
		size, err := t.Size(ctx, scope)
		if err != nil {
			return export.Size{}, err
		}
		sum.Messages, sum.Bytes = sum.Messages+size.Messages, sum.Bytes+size.Bytes
	}
	return sum, nil
}

type removeReq struct {
	ID export.ID `json:"export_id"`
}

// remove handles DELETE /export/realm/:export_id. Errors: BadRequest.
func (s *service) remove(ctx context.Context, a kit.Actor, in removeReq) (kit.None, error) {
	return kit.None{}, s.Work.Do(ctx, func(ctx context.Context) error {
		if _, err := s.Log.Lock(ctx, a.Realm); err != nil {
			return err
		}
		e, err := s.rows.Get(ctx, a.Realm, in.ID)
		if err != nil {
			return err
		}
		if e == nil {
			return export.Missing()
		}
		if err := e.CheckDelete(); err != nil {
			return err
		}
		if err := s.record(ctx, audit.ExportDeleted, e); err != nil {
			return err
		}
		return s.discard(ctx, e)
	})
}

func (s *service) record(ctx context.Context, what audit.Action, e *export.Export) error {
	return s.Audit.Record(ctx, audit.Fact{
		Realm: e.Realm, Action: what, Target: audit.To(audit.Export, e.ID), New: audit.Values{"type": e.Type},
	})
}

// discard deletes an export's archive. The realm must be locked.
func (s *service) discard(ctx context.Context, e *export.Export) error {
	if err := s.rows.Discard(ctx, e.ID, s.Clock.Now()); err != nil {
		return err
	}
	return s.Log.Append(ctx, changed.To(e.Realm, event.Admins(), listChanged{}))
}

type wireConsent struct {
	User      user.ID `json:"user_id"`
	Consented bool    `json:"consented"`
	Email     int     `json:"email_address_visibility"`
}

type consentsRes struct {
	Consents []wireConsent `json:"export_consents"`
}

// consents handles GET /export/realm/consents.
func (s *service) consents(ctx context.Context, a kit.Actor, _ kit.None) (consentsRes, error) {
	v, err := s.Directory.View(ctx, a.Realm)
	if err != nil {
		return consentsRes{}, err
	}
	out := consentsRes{[]wireConsent{}}
	for u := range v.Users() {
		if u.Active && !u.IsBot() {
			out.Consents = append(
				out.Consents,
				wireConsent{u.ID, export.Consents(u), u.Settings.EmailAddressVisibility},
			)
		}
	}
	return out, nil
}

type downloadReq struct {
	Token string `json:"token"`
	File  string `json:"filename"`
}

// download handles GET /exports/:token/:filename at the root. Errors: NotFound, also if only owners can download the
// archive.
func (s *service) download(ctx context.Context, a kit.Actor, in downloadReq) (*kit.Download, error) {
	e, err := s.rows.ByToken(ctx, a.Realm, in.Token)
	if err != nil {
		return nil, err
	}
	if e == nil || !e.Downloads(a.Role) || in.File != e.FileName() {
		return nil, blob.Missing()
	}
	parts, err := s.rows.Parts(ctx, e.ID)
	if err != nil {
		return nil, err
	}
	if err := s.record(ctx, audit.ExportDownloaded, e); err != nil {
		return nil, err
	}
	return &kit.Download{
		Name: e.FileName(), Type: "application/gzip", Size: e.Size, Modified: e.EndedAt, ETag: e.Token,
		Header: map[string]string{"Cache-Control": "private, no-store", "X-Content-Type-Options": "nosniff"},
		Open:   opener(s.Blobs, parts),
	}, nil
}
