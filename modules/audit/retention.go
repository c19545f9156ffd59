package audit

import (
	"context"

	"github.com/stoachat/stoa/domain/audit"
)

// deletePage is how many entries a transaction deletes.
const deletePage = 5000

// deleteOld deletes the entries that are too old. The last of them becomes the anchor of the chain.
func (s *service) deleteOld(ctx context.Context) error {
	if s.cfg.RetentionDays == 0 {
		return nil
	}
	before := s.Clock.Now().AddDate(0, 0, -s.cfg.RetentionDays).UnixMicro()
	heads, err := s.store.Heads(ctx)
	if err != nil {
		return err
	}
	for _, h := range heads {
		last, err := s.store.LastBefore(ctx, h, before)
		if err != nil {
			return err
		}
		for h.AnchorSeq < last {
			h.AnchorSeq = min(last, h.AnchorSeq+deletePage)
			if err := s.deleteThrough(ctx, h, h.AnchorSeq == last); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *service) deleteThrough(ctx context.Context, h headRow, end bool) error {
	return s.Work.Do(ctx, func(ctx context.Context) error {
		if err := s.store.DeleteThrough(ctx, h.RealmID, h.AnchorSeq); err != nil || !end {
			return err
		}
		return s.Audit.Record(ctx, audit.Fact{
			Realm: h.RealmID, Action: audit.AuditEntriesPurged, Target: audit.To(audit.Realm, h.RealmID),
			Old: audit.Values{"through": h.AnchorSeq},
		})
	})
}
