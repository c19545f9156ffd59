package channel

import (
	"bytes"
	"encoding/json"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/user"
)

// Personal is what a person has set for one subscription. It is kept when the subscription ends and counts again when
// it is taken up again. The notification settings are nil where the person's general setting counts.
type Personal struct {
	Color    string `json:"color"`
	Muted    bool   `json:"muted,omitempty"`
	Pinned   bool   `json:"pinned,omitempty"`
	Desktop  *bool  `json:"desktop,omitempty"`
	Audible  *bool  `json:"audible,omitempty"`
	Push     *bool  `json:"push,omitempty"`
	Email    *bool  `json:"email,omitempty"`
	Wildcard *bool  `json:"wildcard,omitempty"`
}

// Filled gives the same with the person's general settings in the place of nil, for clients that know no null there.
func (p Personal) Filled(s user.Settings) Personal {
	or := func(b *bool, general bool) *bool {
		if b == nil {
			return &general
		}
		return b
	}
	p.Desktop = or(p.Desktop, s.EnableStreamDesktopNotifications)
	p.Audible = or(p.Audible, s.EnableStreamAudibleNotifications)
	p.Push = or(p.Push, s.EnableStreamPushNotifications)
	p.Email = or(p.Email, s.EnableStreamEmailNotifications)
	p.Wildcard = or(p.Wildcard, s.WildcardMentionsNotify)
	return p
}

// PropertyChange is a property of a subscription and its new value, as clients hear of it.
type PropertyChange struct {
	Property string
	Value    any
}

// Set changes one property by its wire name, with the value as JSON text; a colour may also be bare text. It gives what
// clients are told: a mute is told in its older form as well, first. Errors: BadRequest.
func (p *Personal) Set(property string, value []byte) ([]PropertyChange, error) {
	if property == "color" {
		color, err := ParseColor(unquote(string(value)))
		if err != nil {
			return nil, err
		}
		p.Color = color
		return []PropertyChange{{property, color}}, nil
	}
	set, ok := p.property(property)
	if !ok {
		return nil, errs.Bad("Unknown subscription property: %s", property)
	}
	var on bool
	if v := bytes.TrimSpace(value); bytes.Equal(v, []byte("null")) || json.Unmarshal(v, &on) != nil {
		return nil, errs.Bad("%s is not a boolean", property)
	}
	set(on)
	if property == "is_muted" || property == "in_home_view" {
		return []PropertyChange{{"in_home_view", !p.Muted}, {"is_muted", p.Muted}}, nil
	}
	return []PropertyChange{{property, on}}, nil
}

func (p *Personal) property(name string) (func(bool), bool) {
	switch name {
	case "is_muted":
		return func(on bool) { p.Muted = on }, true
	case "in_home_view":
		return func(on bool) { p.Muted = !on }, true
	case "pin_to_top":
		return func(on bool) { p.Pinned = on }, true
	case "desktop_notifications":
		return func(on bool) { p.Desktop = &on }, true
	case "audible_notifications":
		return func(on bool) { p.Audible = &on }, true
	case "push_notifications":
		return func(on bool) { p.Push = &on }, true
	case "email_notifications":
		return func(on bool) { p.Email = &on }, true
	case "wildcard_mentions_notify":
		return func(on bool) { p.Wildcard = &on }, true
	}
	return nil, false
}

// WithColor gives the same with the default colour where none was assigned.
func (p Personal) WithColor() Personal {
	if p.Color == "" {
		p.Color = DefaultColor
	}
	return p
}
