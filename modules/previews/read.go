package previews

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/markdown"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/modules/kit"
)

const (
	batchSize = 8               // maximum number of messages taken from the queue at once
	retry     = 5 * time.Minute // time until the next attempt if one fails; the maximum duration of a run
	maxTries  = 3
)

// read is the job that reads the pages of queued messages. A message stays in the queue until it has been rendered
// again, so that another run completes an interrupted one.
func (s *service) read(ctx context.Context) error {
	ctx, holder, done := s.Node.Hold(ctx)
	defer done()
	for {
		if due, err := s.store.Due(ctx, s.Clock.Now()); err != nil || !due {
			return err
		}
		taken, err := kit.Tx(ctx, s.Work, func(ctx context.Context) ([]queued, error) {
			return s.store.Take(ctx, holder, s.Clock.Now(), s.Clock.Now().Add(retry), batchSize)
		})
		if err != nil || len(taken) == 0 {
			return err
		}
		if err := s.process(ctx, taken); err != nil {
			if ctx.Err() == nil { // otherwise the messages are due when the node has stopped
				err = errors.Join(err, s.Work.Do(ctx, func(ctx context.Context) error {
					return s.store.Release(ctx, holder, taken)
				}))
			}
			return err
		}
		if err := s.Work.Do(ctx, func(ctx context.Context) error { return s.store.Done(ctx, taken) }); err != nil {
			return err
		}
	}
}

// process reads the pages that messages link to, and rerenders the messages that have previews.
func (s *service) process(ctx context.Context, taken []queued) error {
	messages, err := s.eligible(ctx, taken)
	if err != nil {
		return err
	}
	found, err := s.lookUpPages(ctx, messages)
	if err != nil {
		return err
	}
	rerender := map[realm.ID][]message.ID{}
	for _, q := range messages {
		if slices.ContainsFunc(q.Pages, func(address string) bool { return found[address] }) {
			rerender[q.RealmID] = append(rerender[q.RealmID], q.MessageID)
		}
	}
	for r, ids := range rerender {
		if err := s.Messages.Rerender(ctx, r, ids...); err != nil {
			return err
		}
	}
	return nil
}

// eligible returns the messages that can still get previews: those with attempts left, in active realms that enable
// previews.
func (s *service) eligible(ctx context.Context, taken []queued) ([]queued, error) {
	var out []queued
	for _, q := range taken {
		v, err := s.Directory.View(ctx, q.RealmID)
		if err != nil && !errs.Is(err, errs.NotFound) {
			return nil, err
		}
		if err == nil && q.Tries <= maxTries && v.Realm() != nil && !v.Realm().Deactivated &&
			v.Realm().Settings.InlineURLEmbedPreview {
			out = append(out, q)
		}
	}
	return out, nil
}

// lookUpPages reports which of the messages' pages have a preview. It reads pages that are not cached or whose cached
// content is outdated.
func (s *service) lookUpPages(ctx context.Context, messages []queued) (map[string]bool, error) {
	var all []string
	for _, q := range messages {
		all = append(all, q.Pages...)
	}
	slices.Sort(all)
	all = slices.Compact(all)
	cached, err := s.store.Cached(ctx, all)
	if err != nil {
		return nil, err
	}
	now := s.Clock.Now()
	found := map[string]bool{}
	var stale []string
	for _, address := range all {
		p, ok := cached[address]
		lifetime := s.cfg.Lifetime
		if !p.Found {
			lifetime = s.cfg.Retry
		}
		if !ok || now.Sub(p.ReadAt) >= lifetime {
			stale = append(stale, address)
		}
		found[address] = ok && p.Found
	}
	if len(stale) == 0 {
		return found, nil
	}
	results := s.fetchAll(ctx, stale)
	if err := ctx.Err(); err != nil {
		return nil, err // an interrupted read does not mean that the page has no preview
	}
	pages := make([]page, 0, len(stale))
	for i, address := range stale {
		if results[i].err != nil && !errs.Is(results[i].err, errs.NotFound) {
			return nil, results[i].err
		}
		shown := !results[i].embed.Empty()
		found[address] = shown
		pages = append(pages, pageOf(address, shown, results[i].embed, now))
	}
	return found, s.Work.Do(ctx, func(ctx context.Context) error { return s.store.Save(ctx, pages) })
}

type fetched struct {
	embed markdown.Embed
	err   error
}

// fetchAll reads pages, at most Config.Concurrency at a time, and returns the results in the order of addresses.
func (s *service) fetchAll(ctx context.Context, addresses []string) []fetched {
	out := make([]fetched, len(addresses))
	next := make(chan int, len(addresses))
	for i := range addresses {
		next <- i
	}
	close(next)
	var readers sync.WaitGroup
	for range min(s.cfg.Concurrency, len(addresses)) {
		readers.Go(func() {
			for i := range next {
				if out[i].err = ctx.Err(); out[i].err == nil {
					out[i].embed, out[i].err = s.Pages.Page(ctx, addresses[i])
				}
			}
		})
	}
	readers.Wait()
	return out
}

// trim is the job that deletes the oldest pages when the cache is full.
func (s *service) trim(ctx context.Context) error {
	const block = 1000
	for {
		n, err := kit.Tx(
			ctx,
			s.Work,
			func(ctx context.Context) (int64, error) { return s.store.Trim(ctx, s.cfg.MaxPages, block) },
		)
		if err != nil || n < block {
			return err
		}
	}
}
