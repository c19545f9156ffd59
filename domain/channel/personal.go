package channel

import (
	"bytes"
	"encoding/json"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/user"
)

// Personal holds a user's settings for one subscription. They are kept when the subscription ends and restored with it.
// Notification settings are nil if the user's general setting applies.
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

// Filled returns p with the user's general settings in place of nil, for clients that do not accept null.
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

// PropertyChange is a property of a subscription with its new value, as sent to clients.
type PropertyChange struct {
	Property string
	Value    any
}

// Set sets a property, given by its wire name, to a JSON value; a color may be unquoted. It returns the changes to send
// to clients: for muting, in_home_view, its older form, precedes is_muted. Errors: BadRequest.
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

// WithColor returns p with the default color if it has none.
func (p Personal) WithColor() Personal {
	if p.Color == "" {
		p.Color = DefaultColor
	}
	return p
}
