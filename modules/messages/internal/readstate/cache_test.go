package readstate

import (
	"context"
	"fmt"
	"reflect"
	"testing"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/readstate"
	"github.com/stoachat/stoa/domain/readstate/readstatetest"
	messages "github.com/stoachat/stoa/modules/messages/internal/store"
)

// A cached chunk of facts grows with new messages, matches the rows, and is reloaded after its messages change.
func TestCache(t *testing.T) {
	h, us, ids := crowd(t, 5, 2)
	at, direct := message.OfChannel(h.lastChannel), message.OfDirect(h.lastDirect)
	send := func(all ...readstatetest.Sent) {
		t.Helper()
		var steps []*readstatetest.Step
		for _, m := range all {
			steps = append(steps, &readstatetest.Step{Message: m})
		}
		err := h.inTx(func() error {
			got, err := h.insert(steps)
			ids = append(ids, got...)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	check := func() {
		t.Helper()
		want, err := h.service.finder.facts.byID(h.ctx, h.realm, ids)
		if err != nil {
			t.Fatal(err)
		}
		chunk, _, err := h.service.finder.cache.chunk(h.ctx, h.view, h.realm, readstate.ChunkOf(ids[0]), false)
		if err != nil {
			t.Fatal(err)
		}
		var got []fact
		for i := range chunk.list {
			got = append(got, chunk.factAt(uint16(i)))
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("got %+v, want %+v", got, want)
		}
	}
	check()
	send(readstatetest.Sent{Recipient: at, Sender: us[0], ReadFor: us[0]},
		readstatetest.Sent{Recipient: at, Sender: us[1], ReadFor: us[2], Notice: true})
	check()
	send(readstatetest.Sent{Recipient: direct, Sender: us[1]}, readstatetest.Sent{Recipient: at, Sender: us[0]})
	check()

	key := chunkKey{h.realm, readstate.ChunkOf(ids[0])}
	held := func() bool {
		f, _ := h.service.finder.cache.get(key, h.seq)
		return f != nil
	}
	h.seq++
	if err := h.moved(event.Entry{Type: "update_message", Ref: int64(ids[1]),
		Payload: []byte(`{"id":1,"rendering":true}`)}); err != nil {
		t.Fatal(err)
	}
	if !held() {
		t.Error("a rendering change dropped cached facts")
	}
	if err := h.inTx(func() error { return setTopic(h.ctx, h.db, ids[1], "elsewhere", message.HasLink) }); err != nil {
		t.Fatal(err)
	}
	h.seq++
	if held() {
		t.Error("cached facts are considered as new as a view that was not announced")
	}
	if err := h.moved(event.Entry{Type: "update_message", Ref: int64(ids[1])}); err != nil {
		t.Fatal(err)
	}
	// A request with an older view must not cache old facts again.
	if _, _, err := h.service.finder.cache.chunk(h.ctx, h.view, h.realm, key.Chunk, false); err != nil {
		t.Fatal(err)
	}
	if held() {
		t.Error("cached what an older view has read")
	}
	h.view = h.view.AsOf(h.seq, h.view.Now())
	check()
}

// Requests may use a view before the cache has received its entries.
func TestCacheAndNewerViews(t *testing.T) {
	k := newPackedChunk(t, 300)
	c := k.service.finder.cache
	topic := ""
	change := func() {
		topic = fmt.Sprint("topic ", k.seq)
		k.do(func() error {
			if err := k.rows.Move(k.ctx, k.ids[:1], messages.Place{Topic: &topic, TopicKey: topic}); err != nil {
				return err
			}
			return k.rows.RecordMove(k.ctx, k.realm, k.ids[:1])
		})
		k.seq++
		k.view = k.view.AsOf(k.seq, k.Now())
	}
	notify := func() {
		if err := k.moved(event.Entry{Type: "update_message", Ref: int64(k.ids[0])}); err != nil {
			t.Fatal(err)
		}
	}
	check := func(when string) {
		t.Helper()
		f, _, err := c.chunk(k.ctx, k.view, k.realm, k.key.Chunk, false)
		if err != nil || f.factAt(0).Topic != topic {
			t.Errorf("%s: topic %q, want %q (%v)", when, f.factAt(0).Topic, topic, err)
		}
	}
	check("at first")
	change()
	check("before the notification")
	notify()
	check("after the notification")

	had, _ := c.get(k.key, k.seq)
	k.send()
	more, err := k.service.finder.facts.span(k.ctx, k.realm, had.last(), (k.key.Chunk+1).First()-1)
	if err != nil || len(more) != 2 {
		t.Fatal(len(more), err)
	}
	change()
	notify()
	c.replaceGrown(k.key, had, had.with(more), false)
	check("after the dropped chunk was extended")

	// A slow request reads from an older snapshot that still contains deleted messages.
	slow, _, err := k.db.Begin(k.ctx, bunstore.Reading, "SELECT COUNT(*) FROM messages")
	if err != nil {
		t.Fatal(err)
	}
	defer slow.Rollback()
	then := k.view
	newest := k.ids[len(k.ids)-1]
	k.do(func() error { return k.rows.Delete(k.ctx, []message.Message{{ID: newest, Realm: k.realm}}, 1, k.Now()) })
	k.seq++
	k.view = k.view.AsOf(k.seq, k.Now())
	if err := k.moved(event.Entry{Type: "delete_message", Ref: int64(newest)}); err != nil {
		t.Fatal(err)
	}
	check("after the newest is deleted")
	if f, _, err := c.chunk(k.db.With(k.ctx, slow), then, k.realm, k.key.Chunk, false); err != nil || f.last() != newest {
		t.Errorf("in the older snapshot the last is %d, want %d (%v)", f.last(), newest, err)
	}
	slow.Rollback()
	if f, _, err := c.chunk(k.ctx, k.view, k.realm, k.key.Chunk, false); err != nil || f.last() == newest {
		t.Errorf("deleted messages reappeared (%v)", err)
	}

	change() // without a notification: the node has dropped the realm and loads it again
	if err := c.logAdvanced(k.ctx, &event.LogAdvanced{Realm: k.realm, View: k.view}); err != nil {
		t.Fatal(err)
	}
	check("after all was forgotten")

	change()
	k.seq++ // this entry is announced, but the one before was not
	k.view = k.view.AsOf(k.seq, k.Now())
	if err := k.moved(event.Entry{Type: "message"}); err != nil {
		t.Fatal(err)
	}
	check("after a gap")
}

// A request that reads from an older snapshot finds newer messages in memory. They do not show that it sees all
// messages before them.
func TestCacheAndOlderSnapshots(t *testing.T) {
	k := newPackedChunk(t, 30)
	c := k.service.finder.cache
	last := func(ctx context.Context, in *chunks, n readstate.Chunk) message.ID {
		t.Helper()
		f, err := in.get(ctx, n)
		if err != nil {
			t.Fatal(err)
		}
		return f.last()
	}
	last(k.ctx, c.chunks(k.view, k.realm), k.key.Chunk)
	slow, _, err := k.db.Begin(k.ctx, bunstore.Reading, "SELECT COUNT(*) FROM messages")
	if err != nil {
		t.Fatal(err)
	}
	defer slow.Rollback()
	k.send()
	newest := k.ids[len(k.ids)-1]
	k.highest = (k.key.Chunk + 1).First()
	k.send()
	last(k.ctx, c.chunks(k.view, k.realm), k.key.Chunk+1)

	older := c.chunks(k.view, k.realm)
	last(k.db.With(k.ctx, slow), older, k.key.Chunk+1)
	if got := last(k.db.With(k.ctx, slow), older, k.key.Chunk); got == newest {
		t.Fatal("the snapshot is not older")
	}
	if got := last(k.ctx, c.chunks(k.view, k.realm), k.key.Chunk); got != newest {
		t.Errorf("the last message of the chunk is %d, want %d", got, newest)
	}
}

func TestCacheIsBounded(t *testing.T) {
	c := newCache(factStore{})
	for n := range readstate.Chunk(3 * maxChunks) {
		c.put(chunkKey{1, n}, newFacts(n.First()), 1, false)
	}
	oldest, _ := c.get(chunkKey{1, 0}, 1)
	newest, _ := c.get(chunkKey{1, 3*maxChunks - 1}, 1)
	if len(c.entries) != maxChunks || oldest != nil || newest == nil {
		t.Errorf("%d chunks are cached", len(c.entries))
	}
}

// An entry drops the chunks of the messages that it names. If it names none, later chunks may have changed as well, but
// earlier chunks and other realms have not.
func TestCacheDropsChangedChunks(t *testing.T) {
	first := func(n readstate.Chunk) message.ID { return n.First() + 3 }
	for _, x := range []struct {
		payload string
		kept    [4]bool // of chunks 4, 5, 6 and 7 of the realm
	}{
		{fmt.Sprintf(`{"ids":[%d,%d]}`, first(5), first(7)), [4]bool{true, false, true, false}},
		{fmt.Sprintf(`{"ids":[%d],"rendering":true}`, first(5)), [4]bool{true, true, true, true}},
		{`{}`, [4]bool{true, false, false, false}},
	} {
		c := newCache(factStore{})
		for _, k := range []chunkKey{{1, 4}, {1, 5}, {1, 6}, {1, 7}, {2, 5}} {
			c.put(k, newFacts(k.Chunk.First()), 9, false)
		}
		entries := []event.Entry{{Seq: 10, Type: "update_message", Ref: int64(first(5)), Payload: []byte(x.payload)}}
		view := (&directory.Builder{}).View(10)
		if err := c.logAdvanced(t.Context(), &event.LogAdvanced{Realm: 1, View: view, Entries: entries}); err != nil {
			t.Fatal(err)
		}
		for i, kept := range append(x.kept[:], true) {
			k := chunkKey{1, readstate.Chunk(4 + i)}
			if i == len(x.kept) {
				k = chunkKey{2, 5}
			}
			if got, _ := c.get(k, 9); (got != nil) != kept {
				t.Errorf("%s: chunk %d of realm %d: cached %v, want %v", x.payload, k.Chunk, k.Realm, got != nil, kept)
			}
		}
	}
}
