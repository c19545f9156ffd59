package audit

import (
	"bytes"
	"context"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/stoachat/stoa/domain/audit"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
)

// filter holds the parameters that select entries.
type filter struct {
	Since      int64      `json:"since" default:"0"` // Unix seconds
	Until      int64      `json:"until" default:"0"` // Unix seconds; 0: now
	Action     string     `json:"action" default:""` // or a prefix that ends in a dot
	Actor      user.ID    `json:"actor_id" default:"0"`
	TargetKind audit.Kind `json:"target_kind" default:""`
	Target     string     `json:"target" default:""`
}

// query returns the query for a filter. Errors: BadRequest.
func (f filter) query(a kit.Actor) (audit.Query, error) {
	q := audit.Query{
		Realm: a.Realm, Action: f.Action, Actor: f.Actor, TargetKind: f.TargetKind, Target: f.Target,
	}
	switch {
	case f.Since < 0 || f.Since > maxSeconds:
		return q, errs.Bad("Bad value for '%s'", "since")
	case f.Until < 0 || f.Until > maxSeconds:
		return q, errs.Bad("Bad value for '%s'", "until")
	case f.Action != "" && !known(f.Action):
		return q, errs.Bad("Bad value for '%s'", "action")
	}
	if f.Since != 0 {
		q.Since = time.Unix(f.Since, 0)
	}
	if f.Until != 0 {
		q.Until = time.Unix(f.Until, 0)
	}
	return q, nil
}

// known reports whether text is an action, or the beginning of one that ends in a dot.
func known(text string) bool {
	return slices.ContainsFunc(audit.Actions(), func(a audit.Action) bool {
		return string(a) == text || strings.HasSuffix(text, ".") && strings.HasPrefix(string(a), text)
	})
}

// maxSeconds is the end of the year 9999.
const maxSeconds = 253402300799

// given returns the parameters that select something, for the entry about the reading.
func (f filter) given() audit.Values {
	was, _ := audit.Differences(f, filter{})
	return was
}

type listReq struct {
	filter
	Before int64 `json:"before" default:"0"` // the ID of the last entry of the previous page
	Limit  int   `json:"limit" default:"100"`
}

type listRes struct {
	Entries []audit.Entry `json:"entries"`
	More    bool          `json:"more"` // there are older ones
}

// maxLimit is the maximum number of entries of a page.
const maxLimit = 1000

// list handles GET /audit_log. Errors: BadRequest, UnauthorizedPrincipal.
func (s *service) list(ctx context.Context, a kit.Actor, in listReq) (listRes, error) {
	q, err := in.query(a)
	switch {
	case err != nil:
		return listRes{}, err
	case in.Limit < 1 || in.Limit > maxLimit:
		return listRes{}, errs.Bad("Bad value for '%s'", "limit")
	case in.Before < 0:
		return listRes{}, errs.Bad("Bad value for '%s'", "before")
	}
	if err := s.recordRead(ctx, a, in.given()); err != nil {
		return listRes{}, err
	}
	if q.Before = in.Before; q.Before == 0 {
		q.Before = audit.Newest
	}
	q.Limit = in.Limit + 1
	all, err := s.entries(ctx, q)
	if err != nil {
		return listRes{}, err
	}
	res := listRes{Entries: append([]audit.Entry{}, all[:min(len(all), in.Limit)]...), More: len(all) > in.Limit}
	return res, nil
}

// recordRead records that the caller, who must be an owner, reads the log.
func (s *service) recordRead(ctx context.Context, a kit.Actor, what audit.Values) error {
	return s.Work.Do(ctx, func(ctx context.Context) error {
		v, err := s.Directory.View(ctx, a.Realm)
		if err != nil {
			return err
		}
		if err := permission.CheckRole(v, a, user.Owner); err != nil {
			return err
		}
		return s.Audit.Record(ctx, audit.Fact{
			Realm: a.Realm, Action: audit.AuditLogRead, Target: audit.To(audit.Realm, a.Realm), New: what,
		})
	})
}

type exportReq struct {
	filter
	Format string `json:"format" default:"csv"`
}

// maxExport is the maximum number of entries of a file, which is built in memory.
const maxExport = 50_000

// export handles GET /audit_log/export. Errors: BadRequest, UnauthorizedPrincipal.
func (s *service) export(ctx context.Context, a kit.Actor, in exportReq) (*kit.Download, error) {
	q, err := in.query(a)
	if err != nil {
		return nil, err
	}
	var file bytes.Buffer
	w, err := audit.NewWriter(&file, in.Format)
	if err != nil {
		return nil, errs.Bad("Bad value for '%s'", "format")
	}
	what := in.given()
	if what == nil {
		what = audit.Values{}
	}
	what["format"] = in.Format
	if err := s.recordRead(ctx, a, what); err != nil {
		return nil, err
	}
	q.Limit = maxLimit
	for n := 0; ; {
		page, err := s.entries(ctx, q)
		if err != nil {
			return nil, err
		}
		if n += len(page); n > maxExport {
			return nil, errs.Bad("A file contains at most %d entries. Choose a shorter time.", maxExport)
		}
		for _, e := range page {
			if err := w.Write(e); err != nil {
				return nil, err
			}
			q.After = e.ID
		}
		if len(page) < maxLimit {
			break
		}
	}
	if err := w.Flush(); err != nil {
		return nil, err
	}
	return fileOf(in.Format, file.Bytes(), s.Clock.Now()), nil
}

func fileOf(format string, content []byte, now time.Time) *kit.Download {
	kind, end := "application/x-ndjson", "jsonl"
	switch format {
	case "csv":
		kind, end = "text/csv; charset=utf-8", "csv"
	case "cef":
		kind, end = "text/plain; charset=utf-8", "cef"
	}
	return &kit.Download{
		Name: "audit-log-" + now.UTC().Format("2006-01-02") + "." + end, Type: kind, Size: int64(len(content)),
		Header: map[string]string{"Cache-Control": "private, no-store"},
		Open: func(_ context.Context, from, n int64) (io.ReadCloser, error) {
			return io.NopCloser(bytes.NewReader(content[from : from+n])), nil
		},
	}
}
