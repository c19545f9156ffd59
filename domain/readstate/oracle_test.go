package readstate_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stoachat/stoa/app/kittest/testrun"
	"github.com/stoachat/stoa/domain/idset"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/readstate"
	"github.com/stoachat/stoa/domain/readstate/readstatetest"
	"github.com/stoachat/stoa/domain/user"
)

// Over random histories, the rules agree with a model that has a row per recipient.
func TestOracle(t *testing.T) {
	testrun.Unraced(t, "nothing runs concurrently")
	histories := 12_000
	if !testrun.Long() {
		histories = 3_000
	}
	for seed := range uint64(histories) {
		if err := history(seed, none); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
}

// Each rule is necessary: the oracle finds a difference if any one of them is disabled.
func TestOracleFindsMutations(t *testing.T) {
	testrun.Unraced(t, "nothing runs concurrently")
	for m := none + 1; m < mutations; m++ {
		t.Run(m.String(), func(t *testing.T) {
			for seed := range uint64(20_000) {
				if history(seed, m) != nil {
					return
				}
			}
			t.Error("no history detects that this rule is missing")
		})
	}
}

// history applies one random history to the store and the model, and returns their first difference.
func history(seed uint64, m mutation) error {
	r := rand.New(rand.NewPCG(seed, 7))
	w := newFixture(r)
	model, s := readstatetest.New(w), newStore(w, r, m)
	for i := range 28 {
		step := model.Next(r)
		if step.Op == readstatetest.Send {
			step.Message.ID = s.nextID(r)
		}
		want, got := model.Apply(step), s.apply(step)
		if !slices.Equal(want.Changed, got.Changed) || !slices.Equal(want.Skipped, got.Skipped) {
			return fmt.Errorf("step %d: %v: got %v, want %v", i, step, got, want)
		}
		if err := s.compare(model); err != nil {
			return fmt.Errorf("step %d: %v: %w", i, step, err)
		}
	}
	return nil
}

func newFixture(r *rand.Rand) readstatetest.Fixture {
	w := readstatetest.Fixture{
		People:    []user.ID{1, 2, 3, 4, 5},
		Private:   map[message.Recipient]bool{},
		Protected: map[message.Recipient]bool{},
		Direct: map[message.Recipient]user.Set{
			message.OfDirect(1): idset.Of[user.ID](1),
			message.OfDirect(2): idset.Of[user.ID](1, 2),
			message.OfDirect(3): idset.Of[user.ID](2, 3, 4),
		},
		Guests: idset.Of[user.ID](4),
		Quiet:  idset.Of[user.ID](2, 5),
	}
	for c := 1; c <= 4; c++ {
		ch := message.Recipient(c << 1)
		w.Channels = append(w.Channels, ch)
		w.Protected[ch] = r.IntN(3) == 0
		w.Private[ch] = w.Protected[ch] || r.IntN(4) == 0
	}
	return w
}

// compare compares each user's state of each message with the model's, and checks the stored state.
func (s *store) compare(m *readstatetest.Model) error {
	for _, u := range s.People {
		p := s.people[u]
		r := s.reader(u)
		var unread []message.ID
		for _, x := range m.Messages {
			row, msg, flag := m.Row(u, x.ID), s.fact(x.ID), p.flags[x.ID]
			has := r.Own.Received(msg)
			if own := has || flag != 0; own != (row != nil) {
				return fmt.Errorf("user %d message %d: own row %v, want %v", u, x.ID, own, row != nil)
			}
			isUnread := r.Unread(&p.state, msg, flag&message.OldUnread != 0)
			if isUnread {
				unread = append(unread, x.ID)
			}
			if row == nil {
				if isUnread {
					return fmt.Errorf("user %d message %d: unread, and not their own", u, x.ID)
				}
				continue
			}
			got := readstatetest.Row{Received: has, Read: !isUnread, Starred: flag&message.Starred != 0}
			if got != *row {
				return fmt.Errorf("user %d message %d: got %+v, want %+v", u, x.ID, got, *row)
			}
		}
		if want := m.Unread(u); !slices.Equal(unread, want) {
			return fmt.Errorf("user %d: unread %v, want %v", u, unread, want)
		}
		if err := s.stored(p); err != nil {
			return fmt.Errorf("user %d: %w", u, err)
		}
	}
	return nil
}

// stored checks the invariants of State, and that the state written chunk by chunk is complete.
func (s *store) stored(p *person) error {
	st := p.state
	if st.Floor > s.head || len(st.Unread.From(st.Floor+1)) > 0 || len(st.Read)-len(st.Read.From(st.Floor+1)) > 0 ||
		st.Floor < p.floor {
		return fmt.Errorf("broken invariant: head %d, floor was %d, state %+v", s.head, p.floor, st)
	}
	p.floor = st.Floor
	var unread, read readstate.IDs
	for _, c := range readstate.Chunks(st.Unread.Union(st.Read)) {
		unread, read = unread.Union(p.chunks[c][0]), read.Union(p.chunks[c][1])
	}
	if !slices.Equal(unread, st.Unread) || !slices.Equal(read, st.Read) {
		return fmt.Errorf("chunks hold %v and %v, state %+v", unread, read, st)
	}
	return nil
}
