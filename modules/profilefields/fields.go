package profilefields

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/stoachat/stoa/domain/audit"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/profilefield"
	"github.com/stoachat/stoa/domain/quota"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
)

// Fields are not part of the directory: no permission depends on them, and there are so few that they are read when
// needed. Changes of fields and values are serialized, because both read the realm's view first.

type listRes struct {
	Fields []profilefield.Record `json:"custom_fields"`
}

// list handles GET /realm/profile_fields.
func (s *service) list(ctx context.Context, a kit.Actor, _ kit.None) (listRes, error) {
	all, err := s.rows.Fields(ctx, a.Realm)
	return listRes{records(all)}, err
}

func records(all []profilefield.Field) []profilefield.Record {
	out := make([]profilefield.Record, len(all))
	for i := range all {
		out[i] = all[i].Record()
	}
	return out
}

// attributes holds the properties of a field that can be changed. Omitted properties keep their values.
type attributes struct {
	Name     *string          `json:"name"`
	Hint     *string          `json:"hint"`
	Data     *json.RawMessage `json:"field_data"`
	Summary  *bool            `json:"display_in_profile_summary"`
	Required *bool            `json:"required"`
	Editable *bool            `json:"editable_by_user"`
	Matching *bool            `json:"use_for_user_matching"`
}

// applyTo returns a field with the requested changes. Errors: BadRequest.
func (in attributes) applyTo(f profilefield.Field) (profilefield.Field, error) {
	if in.Data != nil {
		data, err := profilefield.ReadData(f.Type, string(*in.Data))
		if err != nil {
			return f, err
		}
		f.Data = data
	}
	for _, c := range []struct {
		to   *string
		sent *string
	}{{&f.Name, in.Name}, {&f.Hint, in.Hint}} {
		if c.sent != nil {
			*c.to = *c.sent
		}
	}
	for _, c := range []struct {
		to   *bool
		sent *bool
	}{{&f.Summary, in.Summary}, {&f.Required, in.Required}, {&f.Editable, in.Editable}, {&f.Matching, in.Matching}} {
		if c.sent != nil {
			*c.to = *c.sent
		}
	}
	return f, nil
}

type addReq struct {
	Type profilefield.Type `json:"field_type"`
	attributes
}

type addRes struct {
	ID profilefield.ID `json:"id"`
}

// add handles POST /realm/profile_fields. Errors: BadRequest, UnauthorizedPrincipal.
func (s *service) add(ctx context.Context, a kit.Actor, in addReq) (addRes, error) {
	if in.Data == nil { // rejected by types that need data
		in.Data = &json.RawMessage{'{', '}'}
	}
	f, err := in.applyTo(profilefield.Field{Type: in.Type, Editable: true})
	if err != nil {
		return addRes{}, err
	}
	return s.create(ctx, a, f)
}

// createAll adds the fields of the hook event, in order.
func (s *service) createAll(ctx context.Context, m *profilefield.AddingFields) error {
	for _, f := range m.Fields {
		if _, err := s.create(ctx, m.By, f); err != nil {
			return err
		}
	}
	return nil
}

// create adds a field after the existing ones. Errors: BadRequest, UnauthorizedPrincipal.
func (s *service) create(ctx context.Context, a kit.Actor, f profilefield.Field) (addRes, error) {
	f, err := f.Check("")
	if err != nil {
		return addRes{}, err
	}
	return kit.Tx(ctx, s.Work, func(ctx context.Context) (addRes, error) {
		v, all, err := s.fields(ctx, a)
		if err != nil {
			return addRes{}, err
		}
		f.ID, f.Order = 0, profilefield.Next(all)
		if err := profilefield.CheckConflicts(all, &f, v.NameKey); err != nil {
			return addRes{}, err
		}
		l := quota.Limit{What: "custom profile fields", Total: s.cfg.MaxPerRealm}
		if err := l.Admit(permission.Role(v, a), quota.Count{All: len(all)}, 1); err != nil {
			return addRes{}, err
		}
		if err := s.rows.Insert(ctx, a.Realm, &f); err != nil {
			return addRes{}, err
		}
		return addRes{f.ID}, s.publish(ctx, a, audit.Changed(
			a.Realm, audit.FieldAdded, audit.To(audit.ProfileField, f.ID), nil, f.Record()))
	})
}

type reorderReq struct {
	Order []profilefield.ID `json:"order"`
}

// reorder handles PATCH /realm/profile_fields. Errors: BadRequest, UnauthorizedPrincipal.
func (s *service) reorder(ctx context.Context, a kit.Actor, in reorderReq) (kit.None, error) {
	return kit.None{}, s.Work.Do(ctx, func(ctx context.Context) error {
		_, all, err := s.fields(ctx, a)
		if err != nil {
			return err
		}
		now, moved, err := profilefield.Reorder(all, in.Order)
		if err != nil || !moved {
			return err
		}
		if err := s.rows.SetOrder(ctx, a.Realm, now); err != nil {
			return err
		}
		return s.publish(ctx, a, audit.Fact{
			Realm: a.Realm, Action: audit.FieldsReordered, Target: audit.To(audit.Realm, a.Realm),
			New: audit.Values{"order": in.Order},
		})
	})
}

// fields returns the view and all fields. Errors: UnauthorizedPrincipal if the caller is not an administrator.
func (s *service) fields(ctx context.Context, a kit.Actor) (*directory.View, []profilefield.Field, error) {
	v, err := s.Directory.View(ctx, a.Realm)
	if err != nil {
		return nil, nil, err
	}
	if err := permission.CheckRole(v, a, user.Admin); err != nil {
		return nil, nil, err
	}
	all, err := s.rows.Fields(ctx, a.Realm)
	return v, all, err
}

// fieldsEvent is the payload of the event: all fields in order.
type fieldsEvent struct {
	Fields []profilefield.Record `json:"fields"`
}

var changedFields = kit.Event[fieldsEvent]("custom_profile_fields", "").Sends(fieldsEvent{}).
	Shape(func(_ context.Context, _ *directory.View, c event.Client, p *fieldsEvent) (any, bool) {
		return fieldsEvent{shownTo(c, p.Fields)}, true
	})

// shownTo returns the fields as a client can handle them: old clients fail on the type for pronouns and get short text.
func shownTo(c event.Client, all []profilefield.Record) []profilefield.Record {
	if !c.PlainPronouns {
		return all
	}
	all = slices.Clone(all) // the list is shared
	for i := range all {
		if all[i].Type == profilefield.Pronouns {
			all[i].Type = profilefield.ShortText
		}
	}
	return all
}

// publish publishes the current fields to everyone.
func (s *service) publish(ctx context.Context, a kit.Actor, what audit.Fact) error {
	if err := s.Audit.Record(ctx, what); err != nil {
		return err
	}
	all, err := s.rows.Fields(ctx, a.Realm)
	if err != nil {
		return err
	}
	return s.Log.Append(ctx, changedFields.To(a.Realm, event.Everyone(), fieldsEvent{records(all)}))
}

type section struct {
	Fields []profilefield.Record            `json:"custom_profile_fields"`
	Types  map[string]profilefield.TypeName `json:"custom_profile_field_types"`
}

// section returns the module's section of /register.
func (s *service) section(ctx context.Context, a kit.Actor, c event.Client) (section, error) {
	all, err := s.rows.Fields(ctx, a.Realm)
	return section{shownTo(c, records(all)), profilefield.Types()}, err
}
