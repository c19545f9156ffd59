package kernel

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/modules/kit"
)

// Diagnoses returns the kernel's checks of stoa doctor.
func (k *Kernel) Diagnoses() []kit.Diagnosis {
	const head = "(SELECT max(e.seq) FROM realm_events e WHERE e.realm_id = r.realm_id)"
	return []kit.Diagnosis{{
		Name: "log", Doc: "The log of each organization has no gaps, and all its entries can be read.", Run: k.examineLogs,
	}, {
		Name: "consumers", Doc: "No reader of the log is ahead of it.",
		Wrong: []kit.Wrong{{
			Table: "log_consumers", Where: "r.seq > COALESCE(" + head + ", 0)", Text: "are ahead of the log",
			Fix: "seq = COALESCE((SELECT max(e.seq) FROM realm_events e WHERE e.realm_id = r.realm_id), 0)",
		}},
	}, {
		Name: "views", Doc: "The tables of shared facts agree with the log.", Run: k.examineViews,
	}}
}

// restore is what an operator can do about damage that nothing else repairs.
const restore = "restore a backup from before the damage"

func (k *Kernel) examineLogs(ctx context.Context) ([]kit.Finding, error) {
	realms, err := k.store.realms(ctx)
	if err != nil {
		return nil, err
	}
	var all []kit.Finding
	for _, r := range realms {
		gap, err := k.store.gap(ctx, r)
		if err != nil {
			return nil, err
		}
		if gap != 0 {
			all = append(all, kit.Finding{
				Text: fmt.Sprintf("the log of organization %d has no entry %d", r, gap), Remedy: restore,
			})
			continue
		}
		unreadable, err := k.examineEntries(ctx, r)
		if err != nil {
			return nil, err
		}
		for _, seq := range unreadable {
			all = append(all, kit.Finding{
				Text: fmt.Sprintf("the entry %d of the log of organization %d can't be read", seq, r), Remedy: restore,
			})
		}
	}
	return all, nil
}

// maxUnreadable is how many entries of a log are named.
const maxUnreadable = 3

// examineEntries returns the entries of a log that cannot be decoded.
func (k *Kernel) examineEntries(ctx context.Context, r realm.ID) ([]event.Seq, error) {
	var bad []event.Seq
	for after := event.Seq(0); len(bad) < maxUnreadable; {
		rows, err := k.store.rowsAfter(ctx, r, after, page)
		if err != nil || len(rows) == 0 {
			return bad, err
		}
		for _, w := range rows {
			if _, err := w.entry(k.store.slots); err != nil || !json.Valid([]byte(w.Payload)) {
				bad = append(bad, w.Seq)
			}
		}
		after = rows[len(rows)-1].Seq
	}
	return bad[:maxUnreadable], nil
}

// maxDiffering is how many facts of a view are named.
const maxDiffering = 5

// examineViews compares the view of each realm, as loaded from the tables, with what the log says about it: the changes
// in the log are undone and made again, after which each fact that the log mentions has its last value there.
func (k *Kernel) examineViews(ctx context.Context) ([]kit.Finding, error) {
	realms, err := k.store.realms(ctx)
	if err != nil {
		return nil, err
	}
	var all []kit.Finding
	for _, r := range realms {
		differ, err := k.examineView(ctx, r)
		switch {
		case errs.Is(err, errs.NotFound): // deleted meanwhile, or reported by others
			continue
		case err != nil && ctx.Err() != nil:
			return nil, err
		case err != nil:
			all = append(all, kit.Finding{Text: err.Error(), Remedy: restore})
			continue
		}
		if len(differ) > 0 {
			n := len(differ)
			text := fmt.Sprintf("the tables of organization %d disagree with its log about %s", r,
				strings.Join(differ[:min(n, maxDiffering)], ", "))
			if n > maxDiffering {
				text += fmt.Sprintf(" and %d more", n-maxDiffering)
			}
			all = append(all, kit.Finding{Text: text, Remedy: restore + ", or set these again in the web client"})
		}
	}
	return all, nil
}

func (k *Kernel) examineView(ctx context.Context, r realm.ID) ([]string, error) {
	snapshot, at, err := k.reader(ctx, ctx, r)
	if err != nil {
		return nil, err
	}
	defer snapshot.end()
	l := k.newLoader(r)
	if err := l.read(snapshot.ctx); err != nil {
		return nil, err
	}
	loaded, err := l.view(snapshot.ctx, int64(at.Seq))
	if err != nil {
		return nil, err
	}
	newest, err := k.store.factEntries(snapshot.ctx, r, 0, at.Seq)
	if err != nil {
		return nil, err
	}
	return loaded.Differences(replayed(loaded, newest)), nil
}

// replayed undoes the changes of entries, newest first, and makes them again.
func replayed(v *directory.View, newest []event.Entry) *directory.View {
	for _, e := range newest {
		v = v.Undo(int64(e.Seq), e.Changes...)
	}
	for _, e := range slices.Backward(newest) {
		v = v.Apply(int64(e.Seq), e.Changes...)
	}
	return v
}
