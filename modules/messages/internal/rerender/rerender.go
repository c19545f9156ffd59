// Package rerender renders stored messages again: when what they refer to has changed, and after an upgrade.
package rerender

import (
	"context"
	"slices"
	"time"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/idset"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/messages/internal/audience"
	"github.com/stoachat/stoa/modules/messages/internal/kernel"
	"github.com/stoachat/stoa/modules/messages/internal/markup"
	"github.com/stoachat/stoa/modules/messages/internal/store"
	"github.com/stoachat/stoa/modules/messages/internal/updates"
)

const (
	renderBatch    = 50               // messages per transaction
	scanBatch      = 1000             // messages checked at once for an older version
	commitOrderAge = 10 * time.Minute // age from which no messages with lower IDs will be committed
	maxAttempts    = 3                // attempts to render a message that changes concurrently
)

// Service renders messages again.
type Service struct {
	kernel.Ports
	Store    *store.Store
	Audience *audience.Service
	Markup   *markup.Service
	Updates  *updates.Service
}

// Rerender implements [ports.Rerenderer].
func (s *Service) Rerender(ctx context.Context, r realm.ID, ids ...message.ID) error {
	return s.rerender(ctx, r, ids, true)
}

// Refresh rerenders messages that were rendered by an older version of the renderer, without notifying clients. It is
// run by a job. If everything is up to date, it reads one row and the messages sent since its last run.
func (s *Service) Refresh(ctx context.Context) error {
	version, err := s.Markup.Version(ctx)
	if err != nil {
		return err
	}
	done, newer, err := s.Store.Renderings.UpTo(ctx, version)
	if err != nil || newer {
		return err
	}
	before := s.Clock.Now().Add(-commitOrderAge)
	for {
		old, last, err := s.Store.Renderings.FindOutdated(ctx, done, before, version, scanBatch)
		if err != nil || last == done {
			return err
		}
		by := map[realm.ID][]message.ID{}
		for _, o := range old {
			by[o.Realm] = append(by[o.Realm], o.ID)
		}
		for r, ids := range by {
			if err := s.rerender(ctx, r, ids, false); err != nil {
				return err
			}
		}
		done = last
		if err := s.Work.Do(ctx, func(ctx context.Context) error {
			return s.Store.Renderings.SetUpTo(ctx, version, done)
		}); err != nil {
			return err
		}
	}
}

// Jobs returns the package's jobs.
func (s *Service) Jobs() []kit.Job {
	return []kit.Job{{Name: "rendering", Every: time.Minute, Timeout: 10 * time.Minute, Run: s.Refresh}}
}

func (s *Service) rerender(ctx context.Context, r realm.ID, ids []message.ID, notify bool) error {
	ids = idset.Of(ids...)
	for part := range slices.Chunk(ids, renderBatch) {
		for n := 0; len(part) > 0; n++ {
			if n == maxAttempts {
				return errs.New(errs.Unavailable, "The messages change too often to be rendered again")
			}
			var err error
			if part, err = s.renderPart(ctx, r, part, notify); err != nil {
				return err
			}
		}
	}
	return nil
}

// renderPart renders messages outside of any transaction and stores those that have not changed in the meantime. It
// returns the others, which must be rendered again.
func (s *Service) renderPart(ctx context.Context, r realm.ID, ids []message.ID, notify bool) ([]message.ID, error) {
	v, err := s.Directory.View(ctx, r)
	if err != nil {
		return nil, err
	}
	before, err := s.Store.ByID(ctx, r, ids)
	if err != nil {
		return nil, err
	}
	after, err := s.Markup.Rerender(ctx, v, before)
	if err != nil {
		return nil, err
	}
	indexes := map[message.ID]int{}
	var changed []message.ID
	for i := range after {
		if after[i].Rendered != before[i].Rendered || after[i].RenderVersion != before[i].RenderVersion ||
			after[i].Facts != before[i].Facts {
			indexes[after[i].ID] = i
			changed = append(changed, after[i].ID)
		}
	}
	if len(changed) == 0 {
		return nil, nil
	}
	return kit.Tx(ctx, s.Work, func(ctx context.Context) ([]message.ID, error) {
		if notify { // the realm is always locked before rows
			if _, err := s.Directory.View(ctx, r); err != nil {
				return nil, err
			}
		}
		locked, err := s.Store.Lock(ctx, r, changed)
		if err != nil {
			return nil, err
		}
		var stale []message.ID
		var updates, changedHTML []message.Message
		for _, m := range locked {
			i := indexes[m.ID]
			if m.Content != before[i].Content || m.Rendered != before[i].Rendered || m.RenderVersion != before[i].RenderVersion {
				stale = append(stale, m.ID)
				continue
			}
			const renderFacts = message.HasLink | message.HasImage
			m.Facts = m.Facts&^renderFacts | after[i].Facts&renderFacts // other facts may have changed in the meantime
			m.Facts |= after[i].Facts & message.HasAttachment           // if it was sent while uploads was left out
			m.RenderVersion = after[i].RenderVersion
			if m.Rendered != after[i].Rendered {
				m.Rendered = after[i].Rendered
				changedHTML = append(changedHTML, m)
			}
			updates = append(updates, m)
		}
		if !notify {
			return stale, s.Store.Rerender(ctx, updates)
		}
		return stale, s.announce(ctx, r, updates, changedHTML)
	})
}

// announce stores messages and notifies clients of those whose HTML has changed.
func (s *Service) announce(ctx context.Context, r realm.ID, updates, changedHTML []message.Message) error {
	v, err := s.Directory.View(ctx, r)
	if err != nil {
		return err
	}
	to, err := s.Audience.Of(ctx, v, changedHTML)
	if err != nil {
		return err
	}
	if err := s.Store.Rerender(ctx, updates); err != nil || len(changedHTML) == 0 {
		return err
	}
	now := s.Clock.Now()
	entries := make([]event.Event, len(changedHTML))
	for i := range changedHTML {
		entries[i] = s.Updates.Rendered(&changedHTML[i], now, to[i])
	}
	return s.Log.Append(ctx, entries...)
}
