package exports

import (
	"context"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/export"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
)

// wireExport is an export as sent to clients.
type wireExport struct {
	ID      export.ID   `json:"id"`
	By      user.ID     `json:"acting_user_id"`
	Time    float64     `json:"export_time"`       // Unix seconds
	Deleted *float64    `json:"deleted_timestamp"` // Unix seconds
	Failed  *float64    `json:"failed_timestamp"`  // Unix seconds
	URL     *string     `json:"export_url"`
	Pending bool        `json:"pending"`
	Type    export.Type `json:"export_type"`
}

// toWire returns exports as sent to a user with the given role. at is the organization's URL for download links; "":
// the URL at which the export was requested.
func toWire(all []export.Export, role user.Role, at string) []wireExport {
	out := make([]wireExport, len(all))
	for i := range all {
		e := &all[i]
		w := wireExport{
			ID:      e.ID,
			By:      e.By,
			Time:    seconds(e.RequestedAt.UnixMicro()),
			Pending: e.State == export.Pending,
			Type:    e.Type,
		}
		switch e.State {
		case export.Failed:
			w.Failed = new(seconds(e.EndedAt.UnixMicro()))
		case export.Deleted:
			w.Deleted = new(seconds(e.DeletedAt.UnixMicro()))
		}
		if e.Downloads(role) {
			base := at
			if base == "" {
				base = e.URL
			}
			w.URL = new(base + e.Path())
		}
		out[i] = w
	}
	return out
}

func seconds(micros int64) float64 { return float64(micros) / 1e6 }

type (
	// listChanged is the log entry of realm_export events. The list is read at delivery.
	listChanged struct{ all []export.Export }
	listWire    struct {
		Exports []wireExport `json:"exports"`
	}
	consent struct {
		User      user.ID `json:"user_id"`
		Consented bool    `json:"consented"`
	}
)

var (
	changed = kit.Event[listChanged]("realm_export", "").Shape(
		func(context.Context, *directory.View, event.Client, *listChanged) (any, bool) {
			return kit.None{}, true
		},
	).Personal(func(r event.Receiver, e *listChanged) (any, bool) {
		u := r.Head.User(r.User.ID)
		if u == nil || !u.IsAdmin() {
			return nil, false
		}
		return listWire{toWire(e.all, u.Role, "")}, true
	}).Sends(listWire{})
	consentChanged = kit.Event[consent]("realm_export_consent", "")
)

// load sets the current list of exports in a page of events.
func (s *service) load(ctx context.Context, v *directory.View, page []*listChanged) error {
	all, err := s.rows.Of(ctx, v.Realm().ID)
	for _, e := range page {
		e.all = all
	}
	return err
}

// settingsChanged notifies administrators when a user gives or revokes consent to the export of private data.
func (s *service) settingsChanged(ctx context.Context, m *user.SettingsChanged) error {
	now := export.Consents(m.User)
	if m.User.IsBot() || now == export.Consents(m.Old) {
		return nil
	}
	return s.Log.Append(ctx, consentChanged.To(m.Realm, event.Admins(), consent{m.User.ID, now}))
}
