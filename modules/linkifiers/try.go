package linkifiers

import (
	"context"
	"unicode/utf8"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/linkifier"
	"github.com/stoachat/stoa/modules/kit"
)

// Maximum length of the sample text, in characters, and maximum number of links returned.
const (
	maxSample  = 2000
	maxMatches = 50
)

type tryReq struct {
	ID   linkifier.ID `json:"filter_id" default:"0"` // the linkifier being edited
	Text string       `json:"text" default:""`
	addReq
}

type found struct {
	Text string `json:"text"`
	URL  string `json:"url"`
}

type tryRes struct {
	Matches []found `json:"matches"`
}

// test handles POST /realm/linkifiers/test. It validates a linkifier like add and update, but stores nothing. Errors:
// BadRequest, UnauthorizedPrincipal.
func (s *service) test(ctx context.Context, a kit.Actor, in tryReq) (tryRes, error) {
	if utf8.RuneCountInString(in.Text) > maxSample {
		return tryRes{}, errs.Bad("text is too long (limit: %d characters)", maxSample)
	}
	v, err := kit.AdminView(ctx, s.Directory, a)
	if err != nil {
		return tryRes{}, err
	}
	l := in.applyTo(linkifier.Linkifier{ID: in.ID})
	if err := linkifier.In(v).Check(l); err != nil {
		return tryRes{}, err
	}
	work := linkifier.Work(len(in.Text))
	res := tryRes{[]found{}}
	for i, m := range linkifier.NewList(l).All()[0].Find(in.Text, true, &work) {
		if i == maxMatches {
			break
		}
		res.Matches = append(res.Matches, found{in.Text[m.Start:m.End], m.URL})
	}
	return res, nil
}
