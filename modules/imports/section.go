package imports

import (
	"context"

	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
)

// importsPart is a section of /register for clients that explain to people where their history has come from.
type importsPart struct {
	Imports struct {
		Program string `json:"imported_from"`
		Offered bool   `json:"offered"`
	} `json:"stoa_imports"`
}

func (s *service) section(ctx context.Context, a kit.Actor, _ event.Client) (out importsPart, err error) {
	run, err := s.rows.Run(ctx, a.Realm)
	if err != nil {
		return out, err
	}
	if run != nil && run.Complete {
		out.Imports.Program = run.Source
	}
	v, err := s.Directory.View(ctx, a.Realm)
	if err != nil {
		return out, err
	}
	u := v.User(a.User)
	out.Imports.Offered = u != nil && u.Role == user.Owner && v.Realm().StringID == ""
	return out, nil
}
