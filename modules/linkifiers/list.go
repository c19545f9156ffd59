package linkifiers

import (
	"context"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/linkifier"
	"github.com/stoachat/stoa/modules/kit"
)

// shown is a linkifier as sent to clients.
type shown struct {
	Pattern      string       `json:"pattern"`
	URLTemplate  string       `json:"url_template"`
	ID           linkifier.ID `json:"id"`
	ExampleInput *string      `json:"example_input"`
	Reverse      *string      `json:"reverse_template"`
	Alternatives []string     `json:"alternative_url_templates"`
}

func all(v *directory.View) []shown {
	out := []shown{}
	for _, l := range linkifier.In(v).All() {
		s := shown{l.Pattern, l.URLTemplate, l.ID, l.ExampleInput, l.Reverse, l.Alternatives}
		if s.Alternatives == nil {
			s.Alternatives = []string{}
		}
		out = append(out, s)
	}
	return out
}

type listRes struct {
	Linkifiers []shown `json:"linkifiers"`
}

// list handles GET /realm/linkifiers.
func (s *service) list(ctx context.Context, a kit.Actor, _ kit.None) (listRes, error) {
	v, err := s.Directory.View(ctx, a.Realm)
	if err != nil {
		return listRes{}, err
	}
	return listRes{all(v)}, nil
}

// section is the section of /register and the payload of the event: all linkifiers, in the order they are applied.
type section struct {
	Linkifiers []shown `json:"realm_linkifiers"`
}

func (s *service) section(ctx context.Context, a kit.Actor, c event.Client) (section, error) {
	if !c.LinkifierURLTemplate {
		return section{[]shown{}}, nil
	}
	v, err := s.Directory.View(ctx, a.Realm)
	if err != nil {
		return section{}, err
	}
	return section{all(v)}, nil
}

// changedList is logged when the list changes. The list itself is read from the view at delivery.
var changedList = kit.Event[kit.None]("realm_linkifiers", "").Shape(
	func(_ context.Context, v *directory.View, c event.Client, _ *kit.None) (any, bool) {
		return section{all(v)}, c.LinkifierURLTemplate
	}).Sends(section{})
