package fetch

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strconv"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/narrow"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/readstate"
	"github.com/stoachat/stoa/domain/topic"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/messages/internal/access"
	"github.com/stoachat/stoa/modules/messages/internal/render"
	"github.com/stoachat/stoa/modules/messages/internal/search"
	"github.com/stoachat/stoa/modules/messages/internal/store"
)

// Endpoints returns the package's endpoints.
func (s *Service) Endpoints() []kit.Endpoint {
	return []kit.Endpoint{
		kit.GET("/messages", kit.Spectators, s.list, "Returns the messages of a narrow around an anchor.").
			Shows(listShown{}),
		kit.GET("/messages/matches_narrow", kit.Users, s.matches, "Reports which of the given messages match a narrow.").
			Operation("matchMessages"),
		kit.GET("/messages/summary", kit.Users, s.summary, "Summarizes messages; not supported by this server."),
		kit.POST(
			"/messages/flags/narrow",
			kit.Users,
			s.flags,
			"Adds or removes one of the caller's flags on a range of messages.",
		).Operation("updateMessageFlagsInNarrow"),
		kit.GET("/messages/:message_id/read_receipts", kit.Users, s.receipts, "Lists the users who have read a message."),
		kit.GET("/messages/:message_id", kit.Spectators, s.one, "Returns a message."),
		kit.GET("/users/me/:stream_id/topics", kit.Spectators, s.topics, "Lists a channel's topics, most recent first.").
			Operation("getTopics"),
	}
}

type oneRequest struct {
	ID         message.ID `json:"message_id"`
	HTML       bool       `json:"apply_markdown" default:"true"`
	EmptyTopic bool       `json:"allow_empty_topic_name" default:"false"`
}

type oneResponse struct {
	Message render.Object `json:"message"`
	Raw     string        `json:"raw_content"`
}

// one handles GET /messages/:message_id. Errors: BadRequest, or Unauthorized for spectators, the same for missing and
// invisible messages.
func (s *Service) one(ctx context.Context, a kit.Actor, in oneRequest) (oneResponse, error) {
	r, err := s.reader(ctx, a)
	if err != nil {
		return oneResponse{}, err
	}
	found, err := s.Access.Visible(ctx, r.v, r.u, in.ID)
	if err != nil {
		return oneResponse{}, err
	}
	if len(found) == 0 {
		return oneResponse{}, r.errorFor(message.Invalid())
	}
	if err := s.attach(ctx, found); err != nil {
		return oneResponse{}, err
	}
	o, err := s.options(ctx, a, r)
	if err != nil {
		return oneResponse{}, err
	}
	o.HTML, o.ClientGravatar, o.EmptyTopic = in.HTML, !r.spectates(), in.EmptyTopic
	return oneResponse{object(r, &found[0], o), found[0].Content}, nil
}

type matchesRequest struct {
	IDs    []message.ID    `json:"msg_ids"`
	Narrow json.RawMessage `json:"narrow" forms:"narrow"`
}

type match struct {
	Content string `json:"match_content"`
	Subject string `json:"match_subject"`
}

type matchesResponse struct {
	Messages map[string]match `json:"messages"`
}

// matches handles GET /messages/matches_narrow.
func (s *Service) matches(ctx context.Context, a kit.Actor, in matchesRequest) (matchesResponse, error) {
	r, err := s.reader(ctx, a)
	if err != nil {
		return matchesResponse{}, err
	}
	terms, err := narrow.Parse(in.Narrow)
	if err != nil {
		return matchesResponse{}, err
	}
	if len(in.IDs) > maxMessages {
		return matchesResponse{}, tooMany()
	}
	q, heads, err := s.matchingHeads(ctx, r, terms, in.IDs, true)
	if err != nil {
		return matchesResponse{}, err
	}
	if err := s.checkSize(ctx, r, q, idsOf(heads), render.Options{HTML: true}); err != nil {
		return matchesResponse{}, err
	}
	ms, err := s.Store.ByID(ctx, r.v.Realm().ID, idsOf(heads))
	marked := cmp.Or(q.search.matcher, search.NewMatcher(search.Query{}))
	out := matchesResponse{Messages: make(map[string]match, len(ms))}
	for _, m := range ms {
		out.Messages[strconv.FormatInt(int64(m.ID), 10)] = match{marked.Content(m.Rendered), marked.Subject(m.Topic)}
	}
	return out, err
}

// matchingHeads returns those of the messages that match a narrow. If ownOnly is set, it returns only the reader's own
// messages.
func (s *Service) matchingHeads(
	ctx context.Context,
	r reader,
	terms []narrow.Term,
	ids []message.ID,
	ownOnly bool,
) (*query, []message.Message, error) {
	q, err := s.query(ctx, r, terms)
	if err != nil {
		return nil, nil, err
	}
	if ownOnly && q.inbox == nil {
		box, err := s.States.Inbox(ctx, r.u.ID)
		if err != nil {
			return nil, nil, err
		}
		q.inbox = &box
	}
	heads, err := s.Store.Heads(ctx, r.v.Realm().ID, ids)
	if err != nil {
		return nil, nil, err
	}
	heads, err = q.keep(ctx, heads)
	return q, heads, err
}

type topicsRequest struct {
	Channel    channel.ID `json:"stream_id"`
	EmptyTopic bool       `json:"allow_empty_topic_name" default:"false"`
}

type topicsResponse struct {
	Topics []topicEntry `json:"topics"`
}

type topicEntry struct {
	Name   string     `json:"name"`
	Newest message.ID `json:"max_id"`
}

// topics handles GET /users/me/:stream_id/topics.
func (s *Service) topics(ctx context.Context, a kit.Actor, in topicsRequest) (topicsResponse, error) {
	r, err := s.reader(ctx, a)
	if err != nil {
		return topicsResponse{}, err
	}
	c := r.v.Channel(in.Channel)
	if !permission.Reads(r.v, c, r.u) {
		return topicsResponse{}, r.errorFor(channel.Invalid())
	}
	within := []store.Range{{From: 1, To: message.MaxID}}
	if !c.HistoryPublic {
		if within, err = s.receivedRanges(ctx, r, message.OfChannel(c.ID)); err != nil {
			return topicsResponse{}, err
		}
	}
	found, err := s.Store.Topics(ctx, message.OfChannel(c.ID), within, !c.HistoryPublic)
	if err == nil && !c.HistoryPublic {
		found, err = s.addCrossed(ctx, r, message.OfChannel(c.ID), found)
	}
	out := topicsResponse{Topics: make([]topicEntry, len(found))}
	for i, t := range found {
		out.Topics[i] = topicEntry{topic.Show(t.Name, in.EmptyTopic), t.Newest}
	}
	return out, err
}

// addCrossed adds the topics of messages that were moved to a channel with protected history and that the reader has.
// For such messages, IDs do not determine who has them.
func (s *Service) addCrossed(
	ctx context.Context,
	r reader,
	in message.Recipient,
	topics []store.Topic,
) ([]store.Topic, error) {
	ms, err := s.Store.ListCrossed(ctx, in)
	if err != nil || len(ms) == 0 {
		return topics, err
	}
	found, err := s.Access.FilterVisible(ctx, r.v, r.u, ms)
	for _, f := range found {
		same := func(t store.Topic) bool { return topic.Key(t.Name) == f.TopicKey }
		if i := slices.IndexFunc(topics, same); i < 0 {
			topics = append(topics, store.Topic{Name: f.Topic, Newest: f.ID})
		} else if topics[i].Newest < f.ID {
			topics[i] = store.Topic{Name: f.Topic, Newest: f.ID}
		}
	}
	slices.SortFunc(topics, func(a, b store.Topic) int { return cmp.Compare(b.Newest, a.Newest) })
	return topics, err
}

// receivedRanges returns the ranges of IDs that a reader has received in a channel.
func (s *Service) receivedRanges(ctx context.Context, r reader, in message.Recipient) ([]store.Range, error) {
	box, err := s.States.Inbox(ctx, r.u.ID)
	var out []store.Range
	for _, p := range box.In(in) {
		out = append(out, rangeOf(p))
	}
	return out, err
}

func rangeOf(p readstate.Period) store.Range {
	r := store.Range{From: p.FromMsg + 1, To: message.MaxID}
	if !p.Open() {
		r.To = p.ToMsg
	}
	return r
}

// newestID returns the highest ID of the reader's own messages, or -1.
func (s *Service) newestID(ctx context.Context, u user.Actor) (message.ID, error) {
	r, err := s.reader(ctx, u)
	if err != nil {
		return 0, err
	}
	q, err := s.query(ctx, r, nil)
	if err != nil {
		return 0, err
	}
	source := union(q.merged(q.filter), q.fromFlags(q.u.ID, message.Touched)) // as in base, but without a walk
	left := span{store.Range{From: 1, To: message.MaxID}, true}
	for n := 1; !left.empty(); n = min(2*n, maxBlock) { // usually, the first candidate is the reader's
		var ms []message.Message
		if ms, left, err = source(ctx, left, n); err != nil {
			return 0, err
		}
		if ms, err = q.keep(ctx, ms); err != nil || len(ms) > 0 {
			return slices.Max(append(idsOf(ms), -1)), err
		}
	}
	return -1, nil
}

// attach adds reactions, submessages and edits to messages.
func (s *Service) attach(ctx context.Context, found []access.Found) error {
	ids := make([]message.ID, len(found))
	var changed, extended []message.ID
	for i := range found {
		ids[i] = found[i].ID
		if found[i].Facts&message.HasWidget != 0 {
			extended = append(extended, found[i].ID)
		}
		if found[i].Facts&message.Changed != 0 {
			changed = append(changed, found[i].ID)
		}
	}
	reactions, err := s.Store.Reactions.Of(ctx, ids)
	if err != nil {
		return err
	}
	submessages, err := s.Store.Submessages.Of(ctx, extended)
	if err != nil {
		return err
	}
	edits, err := s.Store.Edits.Of(ctx, changed)
	for i := range found {
		found[i].Submessages = submessages[found[i].ID]
		found[i].Reactions, found[i].Edits = reactions[found[i].ID], edits[found[i].ID]
	}
	return err
}

// object returns a message as sent to clients.
func object(r reader, f *access.Found, o render.Options) render.Object {
	out := render.Message(r.v, &f.Message, f.Members, o)
	out.Flags = &f.Flags
	if r.spectates() {
		out.Flags = &[]string{message.NameRead}
	}
	return out
}
