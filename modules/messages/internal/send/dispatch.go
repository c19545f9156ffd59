package send

import (
	"context"
	"errors"
	"slices"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/messages/internal/revise"
	"github.com/stoachat/stoa/ports"
)

// Maximum number and size of messages prepared at once, and maximum size of a batch that is written.
const (
	dispatchCount = 500
	dispatchBytes = 256 << 10 // bytes of Markdown
	batchBytes    = 1 << 20   // bytes of Markdown and HTML
)

// Dispatcher implements [ports.Dispatcher]. It sends many messages of different users, such as scheduled ones.
type Dispatcher struct {
	sender *Service
	kind   *ports.IntentKind
}

// NewDispatcher returns a Dispatcher that sends messages with s.
func NewDispatcher(s *Service) *Dispatcher {
	d := &Dispatcher{sender: s}
	d.kind = &ports.IntentKind{Name: "dispatches", Write: d.write}
	return d
}

// Check implements [ports.Dispatcher].
func (d *Dispatcher) Check(ctx context.Context, as user.Actor, m message.Outgoing) (content, html string, err error) {
	v, err := d.sender.Directory.View(ctx, as.Realm)
	if err != nil {
		return "", "", err
	}
	checked, err := d.prepare(ctx, v, as, m)
	if err != nil {
		return "", "", err
	}
	return checked.message.Content, checked.message.Rendered, nil
}

// prepare makes a draft from a message. If the sender cannot see the channel, it returns the error for a missing
// channel.
func (d *Dispatcher) prepare(
	ctx context.Context,
	v *directory.View,
	as user.Actor,
	m message.Outgoing,
) (*draft, error) {
	m, err := validated(v, as, m)
	if err != nil {
		return nil, err
	}
	if u, c := v.User(as.User), v.Channel(m.Channel); u != nil && c != nil && !seesChannel(v, c, u) {
		return nil, message.NoChannel(message.ToChannel{ID: m.Channel})
	}
	return d.sender.prepare(ctx, v, as, m)
}

// prepareDue is prepare for a message that is due, which no client can repeat: a message that modules do not revise in
// time is not refused.
func (d *Dispatcher) prepareDue(ctx context.Context, v *directory.View, one *ports.Dispatch) (*draft, error) {
	out, err := d.prepare(ctx, v, one.As, one.Message)
	if errors.Is(err, revise.ErrLate) {
		return nil, revise.ErrLate
	}
	return out, err
}

// prepared is a dispatched message and its draft.
type prepared struct {
	dispatch *ports.Dispatch
	draft    *draft
}

// batch is the value of an intent: messages that are written together.
type batch struct {
	messages []prepared
	take     func(context.Context, []*ports.Dispatch) ([]event.Event, error)
}

// errNothingLeft means that none of a batch's messages are left to be written.
var errNothingLeft = errors.New("send: nothing to dispatch")

// Dispatch implements [ports.Dispatcher]. It prepares the next messages while the previous ones are written.
func (d *Dispatcher) Dispatch(
	ctx context.Context,
	r realm.ID,
	all []*ports.Dispatch,
	take func(context.Context, []*ports.Dispatch) ([]event.Event, error),
) error {
	var ready []prepared
	for len(all) > 0 || len(ready) > 0 {
		var next []prepared
		part := all[:prepareLen(all)]
		failed := errors.Join(kit.Each(2, func(i int) (err error) {
			if i == 0 {
				next, err = d.prepareAll(ctx, r, part)
				return err
			}
			return d.submitAll(ctx, r, ready, take)
		})...)
		if failed != nil {
			return failed
		}
		ready, all = next, all[len(part):]
	}
	return nil
}

// submitAll writes prepared messages in batches.
func (d *Dispatcher) submitAll(
	ctx context.Context,
	r realm.ID,
	ready []prepared,
	take func(context.Context, []*ports.Dispatch) ([]event.Event, error),
) error {
	for len(ready) > 0 {
		n := batchLen(ready)
		if err := d.submit(ctx, r, batch{ready[:n], take}); err != nil {
			return err
		}
		ready = ready[n:]
	}
	return nil
}

// prepareLen returns the number of messages to prepare at once.
func prepareLen(all []*ports.Dispatch) int {
	bytes := 0
	for i, one := range all {
		if bytes += len(one.Message.Content); i == dispatchCount || i > 0 && bytes > dispatchBytes {
			return i
		}
	}
	return len(all)
}

// batchLen returns the number of messages to write in one batch.
func batchLen(ready []prepared) int {
	bytes := 0
	for i, w := range ready {
		if bytes += w.draft.size(); i > 0 && bytes > batchBytes {
			return i
		}
	}
	return len(ready)
}

// prepareAll prepares messages in parallel and returns those that are not rejected. It returns an error if one of them
// fails temporarily.
func (d *Dispatcher) prepareAll(ctx context.Context, r realm.ID, all []*ports.Dispatch) ([]prepared, error) {
	if len(all) == 0 {
		return nil, nil
	}
	v, err := d.sender.Directory.View(ctx, r)
	if err != nil {
		return nil, err
	}
	ready := make([]prepared, len(all))
	for i, failed := range kit.Each(len(all), func(i int) (err error) {
		ready[i].dispatch = all[i]
		ready[i].draft, err = d.prepareDue(ctx, v, all[i])
		return err
	}) {
		all[i].Err = failed
	}
	ready = slices.DeleteFunc(ready, func(w prepared) bool {
		if temporary(w.dispatch.Err) {
			err = w.dispatch.Err
		}
		return w.dispatch.Err != nil
	})
	if err != nil {
		return nil, err
	}
	return ready, d.findConversations(ctx, r, ready)
}

// temporary reports whether an error is temporary or due to the end of the caller's context.
func temporary(err error) bool {
	return errs.Is(err, errs.Unavailable) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// findConversations finds or creates the conversations of direct messages.
func (d *Dispatcher) findConversations(ctx context.Context, r realm.ID, ready []prepared) error {
	var direct []*draft
	var sets []user.Set
	for _, w := range ready {
		if w.draft.channel == 0 {
			direct, sets = append(direct, w.draft), append(sets, w.draft.members)
		}
	}
	found, err := d.sender.Conversations.FindOrCreateEach(ctx, r, sets)
	for i := range found {
		direct[i].message.Recipient = found[i]
	}
	return err
}

// submit writes a batch. If that fails with an unexpected error, it writes both halves separately, recursively, until
// the message that causes the error is isolated.
func (d *Dispatcher) submit(ctx context.Context, r realm.ID, b batch) error {
	size := 0
	for _, w := range b.messages {
		size += w.draft.size()
	}
	by := b.messages[0].dispatch.As.User
	err := d.sender.Writer.Submit(ctx, r, by, &ports.Intent{Kind: d.kind, Value: b, Size: size, OwnTx: size > largeText})
	n := len(b.messages)
	switch {
	case err == nil || errors.Is(err, errNothingLeft):
		return nil
	case temporary(err):
		return err
	case n == 1:
		b.messages[0].dispatch.Err = err
		return nil
	}
	return errors.Join(
		d.submit(ctx, r, batch{b.messages[:n/2], b.take}),
		d.submit(ctx, r, batch{b.messages[n/2:], b.take}),
	)
}

// write writes the batches of several intents.
func (d *Dispatcher) write(
	ctx context.Context,
	v *directory.View,
	_ event.Seq,
	in []*ports.Intent,
) ([]event.Event, error) {
	var events []event.Event
	for _, i := range in {
		more, err := d.writeBatch(ctx, v, i.Value.(batch))
		if err != nil {
			return nil, err
		}
		if len(more) == 0 {
			i.Err = errNothingLeft
		}
		events = append(events, more...)
	}
	return events, nil
}

// writeBatch repeats all checks on the view of the transaction, calls take with the remaining messages, and writes
// those for which take sets no error.
func (d *Dispatcher) writeBatch(ctx context.Context, v *directory.View, b batch) ([]event.Event, error) {
	var allowed []*ports.Dispatch
	for _, w := range b.messages {
		if w.dispatch.Err = w.draft.checkPlace(ctx, v); w.dispatch.Err == nil {
			w.dispatch.Err = w.draft.checkMentions(v)
		}
		if w.dispatch.Err == nil {
			allowed = append(allowed, w.dispatch)
		}
	}
	if len(allowed) == 0 {
		return nil, nil
	}
	events, err := b.take(ctx, allowed)
	if err != nil {
		return nil, err
	}
	var drafts []*draft
	for _, w := range b.messages {
		if w.dispatch.Err == nil {
			drafts = append(drafts, w.draft)
		}
	}
	if len(drafts) == 0 {
		return nil, nil
	}
	if err := d.sender.store(ctx, v, drafts, true); err != nil {
		return nil, err
	}
	sent, err := d.sender.publish(ctx, v, drafts)
	return append(events, sent...), err
}
