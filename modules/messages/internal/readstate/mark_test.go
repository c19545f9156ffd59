package readstate

import (
	"slices"
	"testing"

	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/readstate"
	"github.com/stoachat/stoa/domain/readstate/readstatetest"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/messages/internal/flags"
	"github.com/stoachat/stoa/ports"
)

// crowd creates one channel with subscribers and messages.
func crowd(t testing.TB, people, messages int) (*harness, []user.ID, []message.ID) {
	h := newHarness(t)
	all := make([]*history, (people+3)/4)
	for i := range all {
		all[i] = &history{r: newRand(uint64(i))}
	}
	if err := h.populate(all); err != nil {
		t.Fatal(err)
	}
	var us []user.ID
	for _, x := range all {
		us = append(us, x.model.People...)
	}
	us = us[:people]
	at := all[0].model.Channels[0]
	var ids []message.ID
	err := h.inTx(func() error {
		for _, u := range us {
			if err := h.subscribe(at, u); err != nil {
				return err
			}
		}
		var steps []*readstatetest.Step
		for range messages {
			steps = append(steps, &readstatetest.Step{Message: readstatetest.Sent{Recipient: at, Sender: us[0]}})
		}
		got, err := h.insert(steps)
		ids = got
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return h, us, ids
}

func (h *harness) markRead(us []user.ID, ids []message.ID) error {
	var in []*ports.Intent
	for _, u := range us {
		m, err := h.service.marker.prepare(h.ctx, kit.Actor{Realm: h.realm, User: u},
			changeReq{Messages: ids, Op: "add", Flag: "read"})
		if err != nil {
			return err
		}
		in = append(in, &ports.Intent{Value: m})
	}
	return h.inTx(func() error {
		h.statements = 0
		_, err := h.service.marker.write(h.ctx, h.view, 0, in)
		return err
	})
}

// A batch takes as many statements for 64 users as for one.
func TestBatchStatements(t *testing.T) {
	h, us, ids := crowd(t, 65, 40)
	if err := h.markRead(us, ids[:1]); err != nil { // moves all floors to the head
		t.Fatal(err)
	}
	if err := h.markRead(us[:1], ids[1:9]); err != nil {
		t.Fatal(err)
	}
	one := h.statements
	if err := h.markRead(us[1:65], ids[1:9]); err != nil {
		t.Fatal(err)
	}
	if h.statements != one || one > 8 {
		t.Errorf("one mark takes %d statements, sixty-four take %d", one, h.statements)
	}
	for _, u := range us {
		if got, err := h.service.Unread(h.ctx, h.view, u, nil); err != nil || len(got) != 31 {
			t.Errorf("user %d: %d unread, %v", u, len(got), err)
		}
	}
}

// The stored read state is a floor plus one row per chunk of 65,536 IDs that contains unread messages. Without unread
// messages, it is only the floor.
func TestRowsOfReadState(t *testing.T) {
	h, us, ids := crowd(t, 1, 3)
	rows := func(want int) {
		t.Helper()
		all, err := h.service.states.chunkRows(h.ctx, us[0])
		if err != nil || len(all) != want {
			t.Errorf("%d rows, want %d, %v", len(all), want, err)
		}
	}
	rows(0)
	if err := h.markRead(us[:1], ids[:1]); err != nil {
		t.Fatal(err)
	}
	rows(1)
	if err := h.markRead(us[:1], ids); err != nil {
		t.Fatal(err)
	}
	rows(0)
	err := h.inTx(func() error {
		_, err := h.service.marker.write(h.ctx, h.view, 0, []*ports.Intent{
			{Value: &mark{By: us[0], Realm: h.realm, Op: opUnread, IDs: ids}},
			{Value: &mark{By: us[0], Realm: h.realm, Op: opReadAll}},
			{Value: &mark{By: us[0], Realm: h.realm, Op: opUnread, IDs: ids[1:2]}},
		})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	rows(1)
	if got, err := h.service.Unread(h.ctx, h.view, us[0], nil); err != nil || len(got) != 1 || got[0] != ids[1] {
		t.Errorf("unread %v, %v", got, err)
	}
}

// A refused intent changes nothing and does not affect the rest of its batch.
func TestRefusedBesideOthers(t *testing.T) {
	h, us, ids := crowd(t, 2, 3)
	bad := &ports.Intent{Value: &mark{By: us[0], Realm: h.realm, Op: opUnread,
		IDs: append([]message.ID{}, ids[0], ids[2]+1000)}}
	good := &ports.Intent{Value: &mark{By: us[1], Realm: h.realm, Op: opStar, Flag: message.Starred, IDs: ids[:1]}}
	err := h.inTx(func() error {
		events, err := h.service.marker.write(h.ctx, h.view, 0, []*ports.Intent{bad, good})
		if len(events) != 1 {
			t.Errorf("%d events", len(events))
		}
		return err
	})
	if err != nil || bad.Err == nil || good.Err != nil {
		t.Fatal(err, bad.Err, good.Err)
	}
	if got, err := h.flags.Flagged(h.ctx, us[1], message.Starred, 0, 1<<40, 10, false); err != nil || len(got) != 1 ||
		got[0] != ids[0] {
		t.Errorf("starred %v, %v", got, err)
	}
	if got, err := h.service.Unread(h.ctx, h.view, us[0], nil); err != nil || len(got) != 3 {
		t.Errorf("unread %v, %v", got, err)
	}
}

// With too many unread messages, the newest are returned.
func TestUnreadIsCut(t *testing.T) {
	h, us, ids := crowd(t, 1, 30)
	for _, wide := range []readstate.Chunk{0, 4} {
		h.service.limits.wideSpan = wide
		_, all, more, err := h.service.finder.unread(h.ctx, h.view, h.realm, us[0], 12)
		if fs := all.facts(); err != nil || !more || len(fs) != 12 || fs[0].ID != ids[18] || fs[11].ID != ids[29] {
			t.Errorf("wide %d: %d, more %v, %v", wide, len(fs), more, err)
		}
		if _, all, more, err = h.service.finder.unread(h.ctx, h.view, h.realm, us[0], 30); err != nil || more ||
			all.count() != 30 {
			t.Errorf("wide %d: %d, more %v, %v", wide, all.count(), more, err)
		}
	}
}

// After the oldest are dropped, the remainder may lie entirely in later chunks.
func TestUnreadIsCutBetweenChunks(t *testing.T) {
	h, us, ids := crowd(t, 1, 3)
	var later []message.ID
	err := h.inTx(func() error {
		h.highest += 1 << readstate.ChunkBits
		var steps []*readstatetest.Step
		for range 12 {
			steps = append(steps, &readstatetest.Step{Message: readstatetest.Sent{Recipient: message.OfChannel(1),
				Sender: us[0]}})
		}
		var err error
		later, err = h.insert(steps)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for limit, want := range map[int][]message.ID{12: later, 13: append(ids[2:3:3], later...), 11: later[1:],
		1: later[11:]} {
		_, all, more, err := h.service.finder.unread(h.ctx, h.view, h.realm, us[0], limit)
		var got []message.ID
		for _, p := range all {
			if len(p.indexes) == 0 {
				t.Errorf("limit %d: a chunk without selected messages", limit)
			}
			for _, at := range p.indexes {
				got = append(got, p.chunk.id(at))
			}
		}
		if err != nil || !more || !slices.Equal(got, want) {
			t.Errorf("limit %d: %v, more %v, %v", limit, got, more, err)
		}
	}
}

// Only the newest unread IDs are loaded. If too many of these were deleted, the next ones are loaded, and not replaced
// by even older messages that the user marked as unread.
func TestDeletedAmongNewestUnread(t *testing.T) {
	h, us, marked := crowd(t, 1, 3)
	err := h.inTx(func() error {
		h.highest += 1 << readstate.ChunkBits
		steps := make([]*readstatetest.Step, 5)
		for i := range steps {
			steps[i] = &readstatetest.Step{Message: readstatetest.Sent{Recipient: message.OfChannel(1), Sender: us[0]}}
		}
		unread, err := h.insert(steps)
		if err != nil {
			return err
		}
		now := readstate.State{Floor: h.highest + 2<<readstate.ChunkBits, Unread: readstate.IDs(unread)}
		for i := range message.ID(4) { // deleted messages
			now.Unread = append(now.Unread, h.highest+1<<readstate.ChunkBits+i)
		}
		bits := map[flags.Key]message.Flag{}
		for _, id := range marked {
			bits[flags.Key{User: us[0], Message: id}] = message.OldUnread
		}
		if err := h.flags.Add(h.ctx, bits); err != nil {
			return err
		}
		if err := h.service.states.save(h.ctx, []change{{User: us[0], Now: &now}}); err != nil {
			return err
		}
		for limit, want := range map[int][]message.ID{2: unread[3:], 5: unread, 8: append(marked, unread...)} {
			_, all, more, err := h.service.finder.unread(h.ctx, h.view, h.realm, us[0], limit)
			var got []message.ID
			for _, f := range all.facts() {
				got = append(got, f.ID)
			}
			if err != nil || more != (limit < 8) || !slices.Equal(got, want) {
				t.Errorf("limit %d: %v, want %v, more %v, %v", limit, got, want, more, err)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// A new user's floor is at the head, so the first mark does not scan earlier messages.
func TestJoined(t *testing.T) {
	h, us, ids := crowd(t, 5, 30)
	late := h.lastUser + 1
	err := h.inTx(func() error {
		if err := h.service.joined(h.ctx, &user.Joined{Realm: h.realm, User: &user.User{ID: late}}); err != nil {
			return err
		}
		return h.subscribe(message.OfChannel(1), late)
	})
	if err != nil {
		t.Fatal(err)
	}
	states, err := h.service.states.load(h.ctx, []user.ID{us[0], late}, nil)
	if err != nil || states[us[0]] != nil || states[late] == nil || states[late].Floor != ids[29] {
		t.Errorf("states %v, %v", states, err)
	}
}

// Marking all as read also clears unread messages in chunks that the batch has not loaded.
func TestMarkAllForgetsEarlierChunks(t *testing.T) {
	h, us, ids := crowd(t, 2, 3)
	at, err := h.service.finder.facts.byID(h.ctx, h.realm, ids[:1])
	if err != nil {
		t.Fatal(err)
	}
	h.highest += 3 << readstate.ChunkBits
	var later []message.ID
	if err := h.inTx(func() (err error) {
		later, err = h.insert([]*readstatetest.Step{{Message: readstatetest.Sent{Recipient: at[0].Recipient, Sender: us[0]}}})
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if err := h.markRead(us[1:], later); err != nil {
		t.Fatal(err)
	}
	if rows, err := h.service.states.chunkRows(h.ctx, us[1]); err != nil || len(rows) != 1 {
		t.Fatalf("before: %d chunks, %v", len(rows), err)
	}
	if err := h.inTx(func() error { return h.writeMark(&mark{By: us[1], Realm: h.realm, Op: opReadAll}) }); err != nil {
		t.Fatal(err)
	}
	rows, err := h.service.states.chunkRows(h.ctx, us[1])
	if err != nil || len(rows) != 0 {
		t.Errorf("%d chunks are left, %v", len(rows), err)
	}
	if got, err := h.service.Unread(h.ctx, h.view, us[1], nil); err != nil || len(got) != 0 {
		t.Errorf("unread %v, %v", got, err)
	}
}

// A user may leave and rejoin a channel many times, and has no messages from the gaps.
func TestHasOwnOfManyPeriods(t *testing.T) {
	h, us, ids := crowd(t, 4, 3)
	const often = 1500
	periods := make([]periodRow, often)
	for i := range periods {
		to, seq := ids[2], int64(i+2)
		periods[i] = periodRow{UserID: us[3] + 1, RecipientID: message.OfChannel(1), FromMsg: ids[2], FromSeq: int64(i + 1),
			ToMsg: &to, ToSeq: &seq}
	}
	has := func() bool {
		t.Helper()
		got, err := h.service.needs.Topics.HasMessage(h.ctx, h.realm, us[3]+1, message.OfChannel(1), "")
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	store := func(some []periodRow) {
		t.Helper()
		if err := h.inTx(func() error {
			_, err := h.db.From(h.ctx).NewInsert().Model(&some).Exec(h.ctx)
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
	store(periods)
	if has() {
		t.Error("the user has the message")
	}
	last := periods[0]
	last.FromMsg, last.FromSeq = ids[1], often+5
	store([]periodRow{last})
	if !has() {
		t.Error("the user does not have the message")
	}
}
