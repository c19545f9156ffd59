package backup

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/stoachat/stoa/ports"
)

// Keep states which sets are kept: the newest one of each of the latest days, ISO weeks and months that have sets.
type Keep struct{ Days, Weeks, Months int }

// ParseKeep parses a text such as 7d,4w,12m.
func ParseKeep(text string) (Keep, error) {
	var k Keep
	for part := range strings.SplitSeq(text, ",") {
		part = strings.TrimSpace(part)
		number, unit := part, ""
		if part != "" {
			number, unit = part[:len(part)-1], part[len(part)-1:]
		}
		n, err := strconv.Atoi(number)
		into := map[string]*int{"d": &k.Days, "w": &k.Weeks, "m": &k.Months}[unit]
		if err != nil || n < 1 || into == nil {
			return Keep{}, fmt.Errorf("%q is not a number of days, weeks or months to keep; an example is 7d,4w,12m", part)
		}
		*into = n
	}
	return k, nil
}

// keeps returns which sets are kept, of names in ascending order. The newest one always is.
func (k Keep) keeps(names []string) map[string]bool {
	kept := map[string]bool{}
	if len(names) > 0 {
		kept[names[len(names)-1]] = true
	}
	week := func(at time.Time) string { year, week := at.ISOWeek(); return fmt.Sprint(year, "-", week) }
	for _, rule := range []struct {
		n    int
		unit func(time.Time) string
	}{
		{k.Days, func(at time.Time) string { return at.Format(time.DateOnly) }}, {k.Weeks, week},
		{k.Months, func(at time.Time) string { return at.Format("2006-01") }},
	} {
		seen := map[string]bool{}
		for i := len(names) - 1; i >= 0 && len(seen) < rule.n; i-- {
			at, err := time.Parse(setName, names[i])
			if err != nil {
				kept[names[i]] = true // it was named by somebody else
				continue
			}
			if unit := rule.unit(at); !seen[unit] {
				seen[unit], kept[names[i]] = true, true
			}
		}
	}
	return kept
}

// Pruned describes what Prune has deleted.
type Pruned struct {
	Sets  []string `json:"sets"`
	Files int      `json:"files"`
}

// unfinishedFor is how long an incomplete set may belong to a backup that still runs.
const unfinishedFor = 24 * time.Hour

// Prune deletes sets that are not kept, incomplete ones of yesterday or before, and blobs to which no set refers. Blobs
// remain while another backup may be running.
func Prune(ctx context.Context, k Keep, place ports.Blobs, now time.Time) (*Pruned, error) {
	complete, incomplete, err := Sets(ctx, place)
	if err != nil {
		return nil, err
	}
	kept := k.keeps(complete)
	p := &Pruned{Sets: []string{}}
	running := false
	var remaining []string
	for _, name := range incomplete {
		at, err := time.Parse(setName, name)
		if err != nil || now.Sub(at) < unfinishedFor {
			running = true
			continue
		}
		p.Sets = append(p.Sets, name)
	}
	for _, name := range complete {
		if kept[name] {
			remaining = append(remaining, name)
		} else {
			p.Sets = append(p.Sets, name)
		}
	}
	for _, name := range p.Sets {
		if err := deleteSet(ctx, place, name); err != nil {
			return nil, err
		}
	}
	if running || len(p.Sets) == 0 {
		return p, nil
	}
	p.Files, err = pruneBlobs(ctx, place, remaining)
	return p, err
}

// deleteSet deletes the last part first, so that an interrupted deletion leaves an incomplete set.
func deleteSet(ctx context.Context, place ports.Blobs, name string) error {
	keys := []string{setsPrefix + name + "/" + completePart}
	for e, err := range place.Keys(ctx, setsPrefix+name+"/", "") {
		if err != nil {
			return reason(err)
		}
		if e.Key != keys[0] {
			keys = append(keys, e.Key)
		}
	}
	if err := place.Delete(ctx, keys[0]); err != nil {
		return fmt.Errorf("delete the backup %s: %w", name, reason(err))
	}
	if err := place.Delete(ctx, keys[1:]...); err != nil {
		return fmt.Errorf("delete the backup %s: %w", name, reason(err))
	}
	return nil
}

func pruneBlobs(ctx context.Context, place ports.Blobs, sets []string) (int, error) {
	used := map[string]bool{}
	for _, name := range sets {
		m, err := Read(ctx, place, name)
		if err != nil {
			return 0, err
		}
		for blob, err := range blobsOf(ctx, place, name, m) {
			if err != nil {
				return 0, err
			}
			used[blob] = true
		}
	}
	var unused []string
	for e, err := range place.Keys(ctx, blobsPrefix, "") {
		if err != nil {
			return 0, reason(err)
		}
		if !used[e.Key] {
			unused = append(unused, e.Key)
		}
	}
	if err := place.Delete(ctx, unused...); err != nil {
		return 0, fmt.Errorf("delete files that no backup refers to: %w", reason(err))
	}
	return len(unused), nil
}
