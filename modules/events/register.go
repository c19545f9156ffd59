package events

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/google/uuid"

	"github.com/stoachat/stoa/domain/bot"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/idset"
	"github.com/stoachat/stoa/domain/narrow"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

// register handles POST /register. It creates a queue and returns the snapshot that the queue's events continue.
// Errors: BadRequest.
func (s *service) register(ctx context.Context, a kit.Actor, in registerReq) (kit.Object, error) {
	if a.User == 0 {
		return s.spectate(ctx, a, in)
	}
	want, err := in.read(s.cfg.IdleTimeout, s.Collected.Operators)
	if err != nil {
		return nil, err
	}
	want.spec.ClientName = a.Client
	want.spec.Client.PlainPronouns = plainPronouns(a.Agent)
	want.spec.Client.ZulipNames, _, err = s.ZulipNames.Ask(ctx, realm.KnowsOnlyZulipNames{Agent: a.Agent})
	if err != nil {
		return nil, err
	}
	if err := s.applyBotDefaults(ctx, a, in, &want); err != nil {
		return nil, err
	}
	answer, start, err := s.snapshot(ctx, a, want)
	if err != nil {
		return nil, err
	}
	q, err := s.insertQueue(ctx, a, want, start)
	if err != nil {
		return nil, err
	}
	answer["queue_id"] = q.id()
	answer["last_event_id"] = q.start
	answer["idle_queue_timeout_secs"] = int64(q.idle / time.Second)
	return answer, nil
}

// applyBotDefaults applies a bot's defaults to parameters that the request omits: without a narrow, the queue is
// limited to one channel, and without all_public_streams, a bot that is not a guest may receive all public channels.
// The narrow identifies the channel by ID, so that renaming the channel does not affect the queue.
func (s *service) applyBotDefaults(ctx context.Context, a kit.Actor, in registerReq, want *registration) error {
	if a.Bot == user.Human {
		return nil
	}
	v, err := s.Directory.View(ctx, a.Realm)
	if err != nil {
		return err
	}
	uses, who := bot.In(v, a.User), v.User(a.User)
	if in.AllPublicStreams == nil && who != nil && !who.IsGuest() {
		want.spec.AllPublic = uses.AllPublic
	}
	if len(want.spec.Narrow) == 0 && uses.Listens != 0 {
		want.spec.Narrow = []narrow.Term{
			{Operator: "channel", Operand: json.RawMessage(strconv.FormatInt(int64(uses.Listens), 10))},
		}
	}
	return nil
}

// snapshot returns the requested sections as of the returned log position, with the keys that describe the server and
// the required keys.
func (s *service) snapshot(ctx context.Context, a kit.Actor, want registration) (kit.Object, event.Seq, error) {
	var answer kit.Object
	var start event.Seq
	ahead := kit.EncodeAhead(ctx)
	err := s.Work.Snapshot(ctx, a.Realm, func(ctx context.Context) error {
		answer = kit.Object{}
		v, err := s.Directory.View(ctx, a.Realm)
		if err != nil {
			return err
		}
		if err := mayRegister(v, a, want); err != nil {
			return err
		}
		start = event.Seq(v.Seq())
		for _, sec := range s.Collected.Sections {
			switch {
			case !fetched(want.fetch, append([]string{sec.Name}, sec.With...)),
				want.fetch == nil && sec.NamedOnly(),
				a.User == 0 && !sec.Spectating():
				continue
			}
			part, err := sec.Load(ctx, a, want.request())
			if err != nil {
				return err
			}
			if err := merge(answer, part, ahead); err != nil {
				return err
			}
			for _, key := range sec.Compressed() {
				if value, has := answer[key]; has {
					answer[key] = kit.Compressible(value)
				}
			}
		}
		return nil
	})
	if err != nil {
		return nil, 0, err
	}
	described, err := s.describe(ctx)
	if err != nil {
		return nil, 0, err
	}
	maps.Copy(answer, described)
	s.addRequiredKeys(answer, want.fetch)
	return answer, start, nil
}

func mayRegister(v *directory.View, a kit.Actor, want registration) error {
	if a.User == 0 { // a spectator, admitted by the HTTP server
		return nil
	}
	who, err := permission.Caller(v, a)
	if err != nil {
		return err
	}
	if want.spec.AllPublic && who.IsGuest() {
		return errs.Bad("User not authorized for this query")
	}
	return nil
}

// fetched reports whether all names are requested.
func fetched(fetch, names []string) bool {
	return fetch == nil || !slices.ContainsFunc(names, func(n string) bool { return !slices.Contains(fetch, n) })
}

// insertQueue writes the queue's row. Concurrent registrations, which are common after an outage, share a transaction.
func (s *service) insertQueue(ctx context.Context, a kit.Actor, want registration, start event.Seq) (*queue, error) {
	want.spec.ID = uuid.NewString()
	text, err := json.Marshal(want.spec)
	if err != nil {
		return nil, err
	}
	epoch, err := s.Reader.Epoch(ctx, a.Realm)
	if err != nil {
		return nil, err
	}
	now := s.Clock.Now()
	r := &row{
		ID: want.spec.ID, RealmID: a.Realm, Epoch: epoch, UserID: a.User, Spec: string(text), StartSeq: start,
		AckedSeq: start,
		SeenAt:   now, IdleS: int64(want.idle / time.Second), ExpiresAt: now.Add(want.idle + slack),
	}
	made := &insertion{row: r}
	if err := s.Writer.Submit(ctx, a.Realm, a.User,
		&ports.Intent{Kind: s.insertKind, Value: made, Size: len(text) + 200}); err != nil {
		return nil, err
	}
	h, err := s.hub(ctx, a.Realm)
	if err != nil {
		return nil, err
	}
	h.end(made.surplus)
	q, err := newQueue(r, s.boot)
	if err != nil {
		return nil, err
	}
	q.restartPending = false // a new client need not be notified
	return h.adopt(q), nil
}

// insertion is a queue to be created.
type insertion struct {
	row     *row
	surplus []string // result: IDs of queues deleted because their users had too many
}

// insert writes a batch of queues and deletes their users' surplus queues.
func (s *service) insert(
	ctx context.Context,
	v *directory.View,
	_ event.Seq,
	in []*ports.Intent,
) ([]event.Event, error) {
	var all []*row
	var users []user.ID
	for _, one := range in {
		r := one.Value.(*insertion).row
		if u := v.User(r.UserID); u == nil || !u.Active {
			one.Err = user.AccountDeactivated()
			continue
		}
		one.Err = nil
		all, users = append(all, r), append(users, r.UserID)
	}
	if len(all) == 0 {
		return nil, nil
	}
	if err := s.rows.Insert(ctx, all); err != nil {
		return nil, err
	}
	surplus, err := s.rows.Surplus(ctx, all[0].RealmID, idset.Of(users...), s.cfg.MaxQueues)
	in[0].Value.(*insertion).surplus = surplus
	return nil, err
}
