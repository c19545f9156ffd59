package scim

import (
	"context"
	"encoding/json"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/profilefield"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/scim/internal/schema"
)

// fillProfile sets the profile fields that the configuration maps attributes to. Fields that the organization does not
// have, and values that they refuse, are left out.
func (s *service) fillProfile(ctx context.Context, c *call, id user.ID, attributes string) error {
	if len(s.cfg.ProfileFields) == 0 {
		return nil
	}
	fields, ok, err := s.Fields.Ask(ctx, profilefield.FieldsOf{Realm: c.realm})
	if err != nil || !ok {
		return err
	}
	var o object
	if err := json.Unmarshal([]byte(attributes), &o); err != nil {
		return err
	}
	byName := map[string]profilefield.Field{}
	for _, f := range fields {
		byName[f.Name] = f
	}
	for attribute, name := range s.cfg.ProfileFields {
		f, known := byName[name]
		if !known || f.Type == profilefield.Users {
			continue
		}
		value, err := json.Marshal(attributeText(o, attribute))
		if err != nil {
			return err
		}
		if _, err := f.Read(value, nil); err != nil {
			s.Logger.WarnContext(ctx, "a profile field cannot have the value of an identity provider", "user", id,
				"field", name, "error", err)
			continue
		}
		err = s.Hooks.Run(ctx, &profilefield.SettingValues{
			Realm: c.realm, By: c.by, User: id, Values: []profilefield.Given{{ID: f.ID, Value: value}},
		})
		if err != nil && !errs.Is(err, errs.BadRequest) {
			return err
		}
	}
	return nil
}

// attributeText returns the value of an attribute that can be mapped, or "".
func attributeText(o object, name string) string {
	if text, ok := o[name].(string); ok {
		return text
	}
	e, _ := o[schema.EnterpriseURN].(object)
	if text, ok := e[name].(string); ok {
		return text
	}
	m, _ := e[name].(object)
	if text, ok := m["displayName"].(string); ok {
		return text
	}
	text, _ := m["value"].(string)
	return text
}
