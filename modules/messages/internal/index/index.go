// Package index adds messages to the index of words.
package index

import (
	"context"
	"errors"
	"time"

	"github.com/stoachat/stoa/domain/audit"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/messages/internal/search"
	"github.com/stoachat/stoa/modules/messages/internal/store"
	"github.com/stoachat/stoa/ports"
)

// Limits on the work of jobs. On SQLite, sends wait for a transaction.
const (
	indexBatch   = 500 // messages indexed in one transaction
	reindexBatch = 200 // index entries replaced in one transaction
	reindexRun   = 500 // transactions of a run that replaces entries
)

// Service keeps the index of words up to date.
type Service struct {
	Words  *store.Words
	Work   ports.UnitOfWork
	Realms ports.Realms
	Audit  ports.Audit

	former kit.Backlog
}

// Index adds new messages to the index of words. It is run by a job.
func (s *Service) Index(ctx context.Context) error {
	realms, err := s.Realms.Active(ctx)
	if err != nil {
		return err
	}
	var t search.Tokenizer
	for _, r := range realms {
		if err := s.indexRealm(ctx, &t, r); err != nil {
			return err
		}
	}
	return nil
}

// indexRealm indexes a realm's new messages. It finds the words of the next ones while the database stores the last.
func (s *Service) indexRealm(ctx context.Context, t *search.Tokenizer, r realm.ID) error {
	at, err := s.Words.Progress(ctx, r)
	if err != nil {
		return err
	}
	p, err := s.Words.Prepare(ctx, t, r, at.Indexed, indexBatch)
	for err == nil && p.Size() > 0 {
		var next *store.Prepared
		full := p.Size() == indexBatch
		err = errors.Join(kit.Each(2, func(i int) (err error) {
			if i == 0 {
				return s.Work.Do(ctx, func(ctx context.Context) error { return s.Words.Index(ctx, p, r, indexBatch) })
			}
			if full {
				next, err = s.Words.Prepare(ctx, t, r, p.Last, indexBatch)
			}
			return err
		})...)
		if !full {
			break
		}
		p = next
	}
	return err
}

// Reindex replaces index entries that an older version has written, the newest first. It is run by a job. A run has a
// limit, since the job runs again at once as long as there are such entries.
func (s *Service) Reindex(ctx context.Context) error {
	var t search.Tokenizer
	for range reindexRun {
		r, former, err := s.Words.AnyFormer(ctx)
		if err != nil || former == 0 {
			return err
		}
		p, err := s.Words.PrepareFormer(ctx, &t, r, former, reindexBatch)
		if err != nil {
			return err
		}
		err = s.Work.Do(ctx, func(ctx context.Context) error { return s.Words.Replace(ctx, p, r, former) })
		if err != nil {
			return err
		}
	}
	return nil
}

// Commands returns the package's commands.
func (s *Service) Commands() []kit.Command {
	return []kit.Command{kit.NewCommand("search reindex", s.reindexAll,
		"Replace the index of words in the background, the newest messages first. Searches work meanwhile.")}
}

// reindexing is the output of search reindex.
type reindexing struct {
	Text string `json:"text"`
}

func (r reindexing) String() string { return r.Text }

func (s *Service) reindexAll(ctx context.Context, a kit.Actor, _ kit.None) (reindexing, error) {
	err := s.Work.Do(ctx, func(ctx context.Context) error {
		s.Work.AfterCommit(ctx, s.former.Added)
		if err := s.Words.MarkFormer(ctx, a.Realm); err != nil {
			return err
		}
		return s.Audit.Record(ctx, audit.Fact{
			Realm: a.Realm, Action: audit.SearchRebuilt, Target: audit.To(audit.Realm, a.Realm),
		})
	})
	return reindexing{"the job messages.reindex replaces the index"}, err
}

// Jobs returns the package's jobs. Nobody announces messages to the index, since searches also read those after it.
func (s *Service) Jobs() []kit.Job {
	s.former.Earliest = store.AnyFormer
	return []kit.Job{{
		Name: "search", Every: 10 * time.Second, Backlog: &kit.Backlog{Earliest: store.AnyUnindexed},
		Timeout: 10 * time.Minute, Run: s.Index,
	}, {
		Name: "reindex", Every: 10 * time.Second, Backlog: &s.former,
		Timeout: 10 * time.Minute, Run: s.Reindex,
	}}
}
