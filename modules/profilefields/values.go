package profilefields

import (
	"context"
	"encoding/json"

	"github.com/stoachat/stoa/domain/audit"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/markdown"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/profilefield"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

type setReq struct {
	Data []profilefield.Given `json:"data"`
}

// setValues handles PATCH /users/me/profile_data. Required fields are enforced by clients only; the server accepts
// empty ones. Errors: BadRequest.
func (s *service) setValues(ctx context.Context, a kit.Actor, in setReq) (kit.None, error) {
	return kit.None{}, s.Work.Do(ctx, func(ctx context.Context) error { return s.set(ctx, a, a.User, in.Data) })
}

type clearReq struct {
	Data []profilefield.ID `json:"data"`
}

// removeValues handles DELETE /users/me/profile_data. It also clears required fields. Errors: BadRequest.
func (s *service) removeValues(ctx context.Context, a kit.Actor, in clearReq) (kit.None, error) {
	cleared := make([]profilefield.Given, len(in.Data))
	for i, id := range in.Data {
		cleared[i] = profilefield.Given{ID: id, Value: []byte("null")}
	}
	return s.setValues(ctx, a, setReq{cleared})
}

// setForUser sets a user's values on behalf of an administrator. Errors: BadRequest.
func (s *service) setForUser(ctx context.Context, m *profilefield.SettingValues) error {
	fields := make([]profilefield.ID, len(m.Values))
	for i, v := range m.Values {
		fields[i] = v.ID
	}
	err := s.Audit.Record(ctx, audit.Fact{
		Realm: m.By.Realm, Action: audit.UserProfileChanged, Target: audit.To(audit.User, m.User),
		New: audit.Values{"profile_fields": fields},
	})
	if err != nil {
		return err
	}
	return s.set(ctx, m.By, m.User, m.Values)
}

// profiles answers profilefield.ProfilesOf.
func (s *service) profiles(ctx context.Context, q profilefield.ProfilesOf) (map[user.ID]json.RawMessage, error) {
	return s.rows.Profiles(ctx, q.Realm, q.Users)
}

// fieldsOf answers profilefield.FieldsOf.
func (s *service) fieldsOf(ctx context.Context, q profilefield.FieldsOf) ([]profilefield.Field, error) {
	return s.rows.Fields(ctx, q.Realm)
}

// set sets or clears values of u's profile, and publishes each change to the users who can see u. It must be called
// inside Do. Errors: BadRequest.
func (s *service) set(ctx context.Context, by user.Actor, u user.ID, given []profilefield.Given) error {
	v, err := s.Directory.View(ctx, by.Realm)
	if err != nil {
		return err
	}
	switch owner := v.User(u); {
	case owner == nil || owner.IsBot():
		return errs.Bad("Bots have no profile.")
	case !owner.Active && u == by.User:
		return user.AccountDeactivated()
	}
	all, err := s.rows.Fields(ctx, by.Realm)
	if err != nil {
		return err
	}
	texts, err := read(v, by, all, given)
	if err != nil {
		return err
	}
	profile, err := s.rows.Profile(ctx, by.Realm, u)
	if err != nil {
		return err
	}
	return s.apply(ctx, v, u, all, texts, profile)
}

// profileDeleted clears a user's values when the profile is deleted.
func (s *service) profileDeleted(ctx context.Context, m *user.ProfileDeleted) error {
	if m.User.IsBot() {
		return nil
	}
	v, err := s.Directory.View(ctx, m.Realm)
	if err != nil {
		return err
	}
	profile, err := s.rows.Profile(ctx, m.Realm, m.User.ID)
	if err != nil || len(profile) == 0 {
		return err
	}
	all, err := s.rows.Fields(ctx, m.Realm)
	if err != nil {
		return err
	}
	cleared := map[profilefield.ID]string{}
	for _, f := range all {
		cleared[f.ID] = ""
	}
	return s.apply(ctx, v, m.User.ID, all, cleared, profile)
}

// read validates the given values and returns their stored form by field, "" for cleared ones. Errors: BadRequest.
func read(
	v *directory.View,
	by user.Actor,
	all []profilefield.Field,
	given []profilefield.Given,
) (map[profilefield.ID]string, error) {
	me := v.User(by.User)
	isAdmin := me != nil && me.Active && me.IsAdmin() || by.System
	sees := func(id user.ID) *user.User {
		if !permission.Sees(v, me, id) {
			return nil
		}
		return v.User(id)
	}
	texts := map[profilefield.ID]string{}
	for _, g := range given {
		f := profilefield.Find(all, g.ID)
		if f == nil {
			return nil, profilefield.ErrNotFound(g.ID)
		}
		if !f.Editable && !isAdmin {
			return nil, errs.Bad("Only administrators may edit %s.", f.Name)
		}
		text, err := f.Read(g.Value, sees)
		if err != nil {
			return nil, err
		}
		texts[g.ID] = text
	}
	return texts, nil
}

// apply stores changed values and publishes them in the order of the fields.
func (s *service) apply(
	ctx context.Context,
	v *directory.View,
	u user.ID,
	all []profilefield.Field,
	texts map[profilefield.ID]string,
	profile profilefield.Profile,
) error {
	var entries []event.Event
	for i := range all {
		f := &all[i]
		text, given := texts[f.ID]
		if !given || text == profile[f.ID].Text {
			continue
		}
		var now *profilefield.Value
		if text == "" {
			delete(profile, f.ID)
		} else {
			html, err := s.render(ctx, v, u, f, text)
			if err != nil {
				return err
			}
			now = &profilefield.Value{Text: text, Rendered: html}
			profile[f.ID] = *now
		}
		entries = append(entries, s.Updates.Updated(v.Realm().ID, event.Seeing(u), valueUpdate(u, f.ID, now)))
	}
	if len(entries) == 0 {
		return nil
	}
	if err := s.rows.Write(ctx, v.Realm().ID, map[user.ID]profilefield.Profile{u: profile}); err != nil {
		return err
	}
	return s.Log.Append(ctx, entries...)
}

// render returns the HTML of a value, or "" for types without Markdown. Mentions in it send no notifications.
func (s *service) render(
	ctx context.Context,
	v *directory.View,
	u user.ID,
	f *profilefield.Field,
	text string,
) (string, error) {
	if !f.Type.Rendered() {
		return "", nil
	}
	out, err := s.Renderer.Render(ctx, v, markdown.Source{Text: text, Sender: u, Description: true})
	return out.HTML, err
}

// valueUpdate returns the update of a user's record for a new value of a field. A nil value clears the field.
func valueUpdate(u user.ID, id profilefield.ID, now *profilefield.Value) ports.UserUpdate {
	change := map[string]any{"id": id, "value": nil}
	if now != nil {
		change["value"] = now.Text
		if now.Rendered != "" {
			change["rendered_value"] = now.Rendered
		}
	}
	return ports.UserUpdate{User: u, Key: "custom_profile_field", Value: change}
}
