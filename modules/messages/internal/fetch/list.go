package fetch

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/narrow"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/messages/internal/render"
)

// maxMessages is the maximum number of messages in a response, not counting the anchor.
const maxMessages = 5000

// afterAllMessages is the anchor in a response to the legacy parameter use_first_unread_anchor if the narrow has no
// unread message. Clients that send the parameter compare the anchor with this value and fail on the ID of a read
// message. Responses to anchor=first_unread contain the ID of the newest message instead, because some clients store
// IDs in 32 bits.
const afterAllMessages message.ID = 10_000_000_000_000_000

type listRequest struct {
	Anchor         *string          `json:"anchor"`
	AnchorDate     *string          `json:"anchor_date"`
	IncludeAnchor  bool             `json:"include_anchor" default:"true"`
	Before         *int             `json:"num_before"`
	After          *int             `json:"num_after"`
	Narrow         *json.RawMessage `json:"narrow" forms:"narrow"`
	IDs            *[]message.ID    `json:"message_ids"`
	ClientGravatar bool             `json:"client_gravatar" default:"true"`
	HTML           bool             `json:"apply_markdown" default:"true"`
	EmptyTopic     bool             `json:"allow_empty_topic_name" default:"false"`
	FirstUnread    *bool            `json:"use_first_unread_anchor"`
}

// listResponse encodes itself as listShown.
type listResponse struct {
	page *render.Page
	listState
}

// listShown is the response as described to clients.
type listShown struct {
	Messages []render.Object `json:"messages"`
	listState
}

type listState struct {
	Anchor      *message.ID `json:"anchor,omitempty" forms:"integer" doc:"The anchor, as an ID; 0: before all messages."`
	FoundAnchor bool        `json:"found_anchor"`
	FoundOldest bool        `json:"found_oldest"`
	FoundNewest bool        `json:"found_newest"`
	Limited     bool        `json:"history_limited"` // always false: the history is never limited
}

// Size implements [kit.Encoded].
func (r listResponse) Size() int { return r.page.Size() + 200 }

// AppendJSON implements [kit.Encoded].
func (r listResponse) AppendJSON(b []byte) ([]byte, error) {
	state, err := kit.AppendJSON(nil, r.listState)
	if err != nil {
		return nil, err
	}
	if b, err = r.page.AppendJSON(append(b, `{"messages":`...)); err != nil {
		return nil, err
	}
	return append(append(b, ','), state[1:]...), nil
}

// list handles GET /messages.
func (s *Service) list(ctx context.Context, a kit.Actor, in listRequest) (listResponse, error) {
	r, err := s.reader(ctx, a)
	if err != nil {
		return listResponse{}, err
	}
	terms, err := parse(in.Narrow)
	if err != nil {
		return listResponse{}, err
	}
	if r.spectates() {
		if err := narrow.CheckSpectator(terms); err != nil {
			return listResponse{}, err
		}
	}
	o, err := s.options(ctx, a, r)
	if err != nil {
		return listResponse{}, err
	}
	o.HTML, o.ClientGravatar, o.EmptyTopic = in.HTML, in.ClientGravatar && !r.spectates(), in.EmptyTopic
	if in.IDs != nil {
		return s.listByID(ctx, r, terms, in, o)
	}
	w, err := in.window()
	if err != nil {
		return listResponse{}, err
	}
	q, err := s.query(ctx, r, terms)
	if err != nil {
		return listResponse{}, err
	}
	res, err := q.window(ctx, w)
	if err != nil {
		return listResponse{}, err
	}
	if res.allRead && in.FirstUnread != nil && *in.FirstUnread {
		res.anchor, res.foundAnchor = afterAllMessages, false
	}
	if err := s.shorten(ctx, q, &res, o); err != nil {
		return listResponse{}, err
	}
	page, err := s.page(ctx, q, res.heads, o)
	return listResponse{page, listState{
		Anchor: &res.anchor, FoundAnchor: res.foundAnchor, FoundOldest: res.oldest, FoundNewest: res.newest,
	}}, err
}

// options returns the rendering options that depend on the reader.
func (s *Service) options(ctx context.Context, a kit.Actor, r reader) (render.Options, error) {
	zulip, _, err := s.ZulipNames.Ask(ctx, realm.KnowsOnlyZulipNames{Agent: a.Agent})
	return render.Options{
		ZulipNames: zulip, Spectator: r.spectates(), Reader: r.u, Links: s.Renderer.TopicLinks,
	}, err
}

// listByID handles a request with the parameter message_ids. It omits messages that the reader cannot see.
func (s *Service) listByID(
	ctx context.Context,
	r reader,
	terms []narrow.Term,
	in listRequest,
	o render.Options,
) (listResponse, error) {
	var names []string
	for _, p := range []struct {
		name  string
		given bool
	}{{"num_before", in.Before != nil}, {"num_after", in.After != nil}, {"anchor", in.Anchor != nil},
		{"use_first_unread_anchor", in.FirstUnread != nil}} {
		if p.given {
			names = append(names, p.name)
		}
	}
	if len(names) > 0 {
		all := strings.Join(append(names, "message_ids"), ", ")
		return listResponse{}, errs.New(errs.Incompatible, "Unsupported parameter combination: %s", all).
			With("parameters", all)
	}
	ids := *in.IDs
	if len(ids) > maxMessages {
		return listResponse{}, tooMany()
	}
	var q *query
	if len(terms) > 0 {
		var heads []message.Message
		var err error
		if q, heads, err = s.matchingHeads(ctx, r, terms, ids, false); err != nil {
			return listResponse{}, err
		}
		ids = idsOf(heads)
	}
	if err := s.checkSize(ctx, r, q, ids, o); err != nil {
		return listResponse{}, err
	}
	heads, err := s.Store.Heads(ctx, r.v.Realm().ID, ids)
	if err != nil {
		return listResponse{}, err
	}
	ms, rows, err := s.rows(ctx, r, q, heads, o.HTML)
	if err != nil {
		return listResponse{}, err
	}
	found, err := s.Access.FilterVisible(ctx, r.v, r.u, ms)
	if err != nil {
		return listResponse{}, err
	}
	page, err := s.encode(ctx, r, q, found, rows, o)
	return listResponse{page: page}, err
}

func idsOf(ms []message.Message) []message.ID {
	ids := make([]message.ID, len(ms))
	for i := range ms {
		ids[i] = ms[i].ID
	}
	return ids
}

func tooMany() error { return errs.Bad("Too many messages requested (maximum %d).", maxMessages) }

func parse(raw *json.RawMessage) ([]narrow.Term, error) {
	if raw == nil {
		return nil, nil
	}
	return narrow.Parse(*raw)
}

// window parses the requested range. Errors: BadRequest, Missing.
func (in listRequest) window() (window, error) {
	w := window{includeAnchor: in.IncludeAnchor}
	for _, n := range []struct {
		name string
		from *int
		to   *int
	}{{"num_before", in.Before, &w.before}, {"num_after", in.After, &w.after}} {
		switch {
		case n.from == nil:
		case *n.from < 0:
			return w, errs.Bad("Invalid %s", n.name)
		case *n.from > maxMessages:
			return w, tooMany()
		default:
			*n.to = *n.from
		}
	}
	switch {
	case w.before+w.after > maxMessages:
		return w, tooMany()
	case w.before > 0 && w.after > 0 && !w.includeAnchor:
		return w, errs.Bad("The anchor can only be excluded at an end of the range")
	}
	return w, in.anchor(&w)
}

func (in listRequest) anchor(w *window) error {
	text := ""
	if in.Anchor != nil {
		text = strings.TrimSpace(*in.Anchor)
	}
	switch {
	case in.FirstUnread != nil && *in.FirstUnread, text == "first_unread":
		w.kind = firstUnread
	case in.Anchor == nil:
		return errs.New(errs.Missing, "Missing 'anchor' argument.").With("var_name", "anchor")
	case text == "newest":
		w.kind = newest
	case text == "oldest":
		w.kind = oldest
	case text == "date":
		w.kind = byDate
		return in.date(w)
	default:
		n, err := strconv.ParseInt(text, 10, 64)
		switch {
		case err != nil && !errors.Is(err, strconv.ErrRange): // ParseInt has clamped values beyond 64 bits
			return errs.Bad("Invalid anchor")
		case n <= 0:
			w.kind = oldest
		case n >= int64(message.MaxID):
			w.kind = newest
		default:
			w.anchor = message.ID(n)
		}
	}
	return nil
}

func (in listRequest) date(w *window) error {
	if in.AnchorDate == nil {
		return errs.New(errs.Missing, "Missing 'anchor_date' argument.").With("var_name", "anchor_date")
	}
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02T15:04", time.DateOnly} {
		if t, err := time.Parse(layout, strings.TrimSpace(*in.AnchorDate)); err == nil {
			w.date = t.UTC()
			return nil
		}
	}
	return errs.Bad("Invalid anchor_date")
}
