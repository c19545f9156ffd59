package readstate

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stoachat/stoa/domain/idset"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/readstate"
	"github.com/stoachat/stoa/domain/readstate/readstatetest"
	messages "github.com/stoachat/stoa/modules/messages/internal/store"
)

// packedChunk is a realm with messages in one chunk, whose facts are packed.
type packedChunk struct {
	*harness
	key chunkKey
	ids []message.ID // all messages ever sent
	n   int          // number of changes made
}

func newPackedChunk(t *testing.T, n int) *packedChunk {
	h, _, ids := crowd(t, 2, n)
	return &packedChunk{harness: h, key: chunkKey{h.realm, readstate.ChunkOf(ids[0])}, ids: ids}
}

func (k *packedChunk) do(fn func() error) {
	k.t.Helper()
	if err := k.inTx(fn); err != nil {
		k.t.Fatal(err)
	}
}

// rename changes the topics of n messages, starting at from.
func (k *packedChunk) rename(from, n int) {
	k.t.Helper()
	k.n++
	topic := fmt.Sprint("topic ", k.n)
	k.do(func() error {
		if err := k.rows.Move(k.ctx, k.ids[from:from+n], messages.Place{Topic: &topic, TopicKey: topic}); err != nil {
			return err
		}
		return k.rows.RecordMove(k.ctx, k.realm, k.ids[from:from+n])
	})
}

// send sends two messages.
func (k *packedChunk) send() {
	k.t.Helper()
	k.do(func() error {
		one := readstatetest.Sent{Recipient: message.OfChannel(k.lastChannel), Sender: 1, ReadFor: 2, Notice: true}
		ids, err := k.insert([]*readstatetest.Step{{Message: one}, {Message: one}})
		k.ids = append(k.ids, ids...)
		return err
	})
}

// loaded returns the chunk as a starting node reads it, and checks it against the rows.
func (k *packedChunk) loaded() *facts {
	k.t.Helper()
	f, err := k.service.finder.facts.chunk(k.ctx, k.realm, k.key.Chunk)
	if err != nil {
		k.t.Fatal(err)
	}
	want, err := k.service.finder.facts.byID(k.ctx, k.realm, k.ids)
	if err != nil {
		k.t.Fatal(err)
	}
	var got []fact
	for i := range f.list {
		got = append(got, f.factAt(uint16(i)))
	}
	if !reflect.DeepEqual(got, want) {
		k.t.Fatalf("got %+v, want %+v", got, want)
	}
	return f
}

// pack runs the job, calling between after each of its steps.
func (k *packedChunk) pack(between func(step int)) {
	k.t.Helper()
	var at changesRow
	between(0)
	k.do(func() (err error) {
		at, err = k.service.finder.facts.trackChanges(k.ctx, k.realm, k.key.Chunk)
		return err
	})
	between(1)
	f := k.loaded()
	between(2)
	head, list, err := f.pack()
	if err != nil {
		k.t.Fatal(err)
	}
	k.do(func() error { return k.service.finder.facts.storePacked(k.ctx, at, head, list) })
	between(3)
}

// Facts stay correct whatever changes while they are being packed.
func TestFactsChangeWhileTheyArePacked(t *testing.T) {
	for name, tt := range map[string]struct {
		change func(*packedChunk)
		kept   [4]int // number of messages whose packed facts stay valid, by time of the change
	}{
		"nothing":        {func(*packedChunk) {}, [4]int{300, 300, 300, 300}},
		"one is renamed": {func(k *packedChunk) { k.rename(7, 1) }, [4]int{300, 300, 300, 300}},
		"many are":       {func(k *packedChunk) { k.rename(7, 250) }, [4]int{300, 0, 0, 0}},
		"one is moved": {func(k *packedChunk) {
			k.do(func() error {
				to := message.OfChannel(k.lastChannel)
				return k.move(readstatetest.Step{IDs: k.ids[9:10], Channel: to, User: 1}, message.OfChannel(1), false)
			})
		}, [4]int{300, 300, 300, 300}},
		"the first is deleted": {func(k *packedChunk) { k.do(func() error { return k.remove(k.ids[:1]) }) },
			[4]int{299, 299, 299, 299}},
		"the last is deleted": {func(k *packedChunk) { k.do(func() error { return k.remove(k.ids[len(k.ids)-1:]) }) },
			[4]int{299, 299, 299, 299}},
		"two are sent": {func(k *packedChunk) { k.send() }, [4]int{302, 302, 300, 300}},
		"two are sent and renamed": {func(k *packedChunk) {
			k.send()
			k.rename(len(k.ids)-2, 2)
		}, [4]int{302, 302, 300, 300}},
		"another node packs": {func(k *packedChunk) { k.pack(func(int) {}) }, [4]int{300, 300, 300, 300}},
		"another node packs, and one is renamed": {func(k *packedChunk) {
			k.pack(func(int) {})
			k.rename(7, 1)
		}, [4]int{300, 300, 300, 300}},
		"many are renamed, another node packs, and one is renamed": {func(k *packedChunk) {
			k.rename(7, 250)
			k.pack(func(int) {})
			k.rename(7, 1)
		}, [4]int{300, 300, 300, 300}},
	} {
		t.Run(name, func(t *testing.T) {
			for at, want := range tt.kept {
				k := newPackedChunk(t, 300)
				k.pack(func(step int) {
					if step == at {
						tt.change(k)
					}
				})
				if got := k.loaded().packedCount; got != want {
					t.Errorf("before step %d: %d facts are valid, want %d", at, got, want)
				}
				k.pack(func(int) {})
				if f := k.loaded(); f.packedCount != len(f.list) || f.changedCount != 0 {
					t.Errorf("packed again: %d of %d, %d changed", f.packedCount, len(f.list), f.changedCount)
				}
			}
		})
	}
}

// The number of recorded changes is limited. If there are more, the packed facts are discarded.
func TestRecordedChangesAreBounded(t *testing.T) {
	k := newPackedChunk(t, 400)
	k.pack(func(int) {})
	useful := 0
	for k.loaded().packedCount > 0 {
		if useful++; useful > 100 {
			t.Fatal("changes are recorded without limit")
		}
		k.rename(useful%2*200, 200)
	}
	if useful < 4 {
		t.Errorf("after %d changes", useful)
	}
	k.rename(3, 1)
	if k.loaded().packedCount > 0 {
		t.Error("another change made the packed facts valid again")
	}
	k.pack(func(int) {})
	if k.loaded().packedCount != 400 {
		t.Error("the chunk was not packed again")
	}
}

// The job packs facts read from rows once, if there are enough of them.
func TestPackingJob(t *testing.T) {
	k := newPackedChunk(t, 300)
	read := func() (int, *facts) {
		t.Helper()
		k.service.finder.cache.entries = map[chunkKey]*cachedChunk{}
		if _, _, err := k.service.finder.cache.chunk(k.ctx, k.view, k.realm, k.key.Chunk, false); err != nil {
			t.Fatal(err)
		}
		k.do(func() error { return k.service.packer.pack(k.ctx) })
		k.statements = 0
		k.do(func() error { return k.service.packer.pack(k.ctx) })
		n := k.statements
		return n, k.loaded()
	}
	const idle = 2 // begin and commit
	if n, f := read(); n > idle || f.packedCount != 0 {
		t.Errorf("%d statements, %d kept: too few were read", n, f.packedCount)
	}
	k.service.finder.cache.packThreshold = 300
	if n, f := read(); n > idle || f.packedCount != 300 {
		t.Errorf("%d statements, %d kept", n, f.packedCount)
	}
	before, _ := k.service.finder.cache.get(k.key, k.seq)
	k.send()
	now, _, err := k.service.finder.cache.chunk(k.ctx, k.view, k.realm, k.key.Chunk, false)
	if err != nil || now == before || len(k.service.finder.cache.toPack) > 0 {
		t.Errorf("with two more it should be packed: %v", err)
	}
	k.rename(0, 14)
	if _, f := read(); f.changedCount != 14 {
		t.Errorf("packed again after 14 changes: %d", f.changedCount)
	}
	k.rename(14, 1)
	if _, f := read(); f.changedCount != 0 {
		t.Errorf("not packed again after 15 changes: %d", f.changedCount)
	}
}

// Damaged facts, and facts in another format, are ignored.
func TestUnpackRefuses(t *testing.T) {
	fs := []fact{{ID: 1, Recipient: 2, Sender: 3, Topic: "a", ReadFor: 4},
		{ID: 5, Recipient: 6, Sender: 7, Topic: "b", Facts: message.MovedChannel,
			Moves: []readstate.Move{{Message: 5, Seq: 9}}}}
	head, list, err := (&facts{}).with(fs).pack()
	if err != nil {
		t.Fatal(err)
	}
	if f := unpack(0, head, list); f == nil || !reflect.DeepEqual(selections{{f, []uint16{0, 1}}}.facts(), fs) {
		t.Errorf("got %+v", f)
	}
	edited := func(at int, to byte) []byte {
		out := slices.Clone(list)
		out[at] = to
		return out
	}
	for name, bad := range map[string]struct {
		head string
		list []byte
	}{
		"no head":        {"", list},
		"another format": {strings.Replace(head, `"form":1`, `"form":2`, 1), list},
		"cut off":        {head, list[:15]},
		"not ascending":  {head, edited(0, 5)},
		"no such place":  {head, edited(4, 2)},
		"missing user":   {head, edited(6, 2)},
		"no such topic":  {head, edited(19, 1)},
	} {
		if f := unpack(0, bad.head, bad.list); f != nil {
			t.Errorf("%s: %+v", name, f)
		}
	}
}

// In a full chunk in which every message has its own topic, all topic numbers are in use: a changed topic replaces an
// old one.
func TestFullChunk(t *testing.T) {
	all := make([]fact, 1<<readstate.ChunkBits)
	for i := range all {
		all[i] = fact{ID: message.ID(i), Recipient: 1, Sender: 1, Topic: fmt.Sprint(i)}
	}
	f := (&facts{}).with(all)
	var ids idset.Set[message.ID]
	var now []fact
	for i := 0; i < len(all); i += 500 {
		ids = append(ids, all[i].ID)
		if all[i].Topic += " again"; i%1000 == 0 {
			now = append(now, all[i])
		}
	}
	all = slices.DeleteFunc(all, func(m fact) bool { return m.ID%1000 == 500 })
	f = f.withReplaced(ids, now)
	if len(f.list) != len(all) || len(f.topics) != len(all) {
		t.Fatalf("%d messages, %d topics, want %d", len(f.list), len(f.topics), len(all))
	}
	for i, want := range all {
		if got := f.factAt(uint16(i)); !reflect.DeepEqual(got, want) {
			t.Fatalf("got %+v, want %+v", got, want)
		}
	}
}
