package reading

import (
	"reflect"
	"testing"

	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/readstate"
	"github.com/stoachat/stoa/domain/readstate/readstatetest"
)

// A chunk of facts grows with what is sent, gives what the rows hold, and is read anew after its messages have changed.
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
		want, err := h.service.store.Facts(h.ctx, h.realm, ids)
		if err != nil {
			t.Fatal(err)
		}
		chunk, err := h.service.cache.chunk(h.ctx, h.view, h.realm, readstate.ChunkOf(ids[0]))
		if err != nil {
			t.Fatal(err)
		}
		var got []fact
		for i := range chunk.list {
			got = append(got, chunk.at(uint16(i)))
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("got %+v, want %+v", got, want)
		}
	}
	check()
	send(readstatetest.Sent{Recipient: at, Sender: us[0], ReadFor: us[0]}, readstatetest.Sent{Recipient: at, Sender: us[1], ReadFor: us[2], Notice: true})
	check()
	send(readstatetest.Sent{Recipient: direct, Sender: us[1]}, readstatetest.Sent{Recipient: at, Sender: us[0]})
	check()

	if err := h.inTx(func() error { return h.service.store.setTopic(h.ctx, ids[1], "elsewhere", message.HasLink) }); err != nil {
		t.Fatal(err)
	}
	h.seq++
	looks := &event.Moved{Realm: h.realm, Entries: []event.Entry{
		{Realm: h.realm, Seq: event.Seq(h.seq), Type: "update_message", Ref: int64(ids[1]), Payload: []byte(`{"id":1,"rendering":true}`)},
	}}
	if err := h.service.cache.moved(h.ctx, looks); err != nil {
		t.Fatal(err)
	}
	if h.service.cache.get(chunkKey{h.realm, readstate.ChunkOf(ids[0])}) == nil {
		t.Error("a message that looks different drops what is kept")
	}
	moved := &event.Moved{Realm: h.realm, Entries: []event.Entry{{Realm: h.realm, Seq: event.Seq(h.seq), Type: "update_message", Ref: int64(ids[1])}}}
	if err := h.service.cache.moved(h.ctx, moved); err != nil {
		t.Fatal(err)
	}
	// Whoever still works with what was before must not bring it back.
	if _, err := h.service.cache.chunk(h.ctx, h.view, h.realm, readstate.ChunkOf(ids[0])); err != nil {
		t.Fatal(err)
	}
	if h.service.cache.get(chunkKey{h.realm, readstate.ChunkOf(ids[0])}) != nil {
		t.Error("kept what an older view has read")
	}
	h.view = h.view.AsOf(h.seq, h.view.Now())
	check()
}

func TestCacheIsBounded(t *testing.T) {
	c := newCache(store{})
	for n := range readstate.Chunk(3 * maxChunks) {
		c.put(chunkKey{1, n}, &facts{first: n.First()}, 1)
	}
	if len(c.held) != maxChunks || c.get(chunkKey{1, 0}) != nil || c.get(chunkKey{1, 3*maxChunks - 1}) == nil {
		t.Errorf("%d chunks are held", len(c.held))
	}
}

// An entry names only the lowest of the messages that it is about: what comes after may have changed as well, what lies before
// and other realms have not.
func TestCacheDropsLaterChunks(t *testing.T) {
	c := newCache(store{})
	for _, k := range []chunkKey{{1, 4}, {1, 5}, {1, 6}, {2, 5}} {
		c.put(k, &facts{first: k.Chunk.First()}, 9)
	}
	entries := []event.Entry{{Seq: 10, Type: "update_message", Ref: int64(readstate.Chunk(5).First()) + 3}}
	if err := c.moved(t.Context(), &event.Moved{Realm: 1, Entries: entries}); err != nil {
		t.Fatal(err)
	}
	for k, kept := range map[chunkKey]bool{{1, 4}: true, {1, 5}: false, {1, 6}: false, {2, 5}: true} {
		if got := c.get(k) != nil; got != kept {
			t.Errorf("chunk %d of realm %d: kept %v, want %v", k.Chunk, k.Realm, got, kept)
		}
	}
	c.put(chunkKey{1, 6}, &facts{first: readstate.Chunk(6).First()}, 9) // read before
	if c.get(chunkKey{1, 6}) != nil {
		t.Error("what was read before the change is kept")
	}
}
