package reading

import (
	"context"

	"github.com/stoachat/stoa/domain/message"
)

// ids are the messages of one topic with ids from first to last.
type ids struct{ first, last message.ID }

// earlier asks for messages of a topic.
type earlier struct {
	in     message.Recipient
	key    string
	within []ids // none: nothing is there
	own    bool  // only of messages that were never moved between channels: of others ids do not tell who has them
}

// begins answers which messages begin their topic for their sender: in a few statements, however many are asked.
func (s *Service) begins(ctx context.Context, m *message.Begins) error {
	v, err := s.needs.Directory.View(ctx, m.Realm)
	if err != nil {
		return err
	}
	asked := make([]earlier, len(m.Asked))
	var own []int // of which the sender sees only what they have
	var pairs []pair
	for i, a := range m.Asked {
		asked[i] = earlier{in: a.Recipient, key: a.TopicKey}
		switch message.AccessTo(v, a.Recipient, v.User(a.Sender)) {
		case message.AllAccess:
			asked[i].within = []ids{{1, before(a)}}
		case message.OwnAccess:
			own, asked[i].own = append(own, i), true
			pairs = append(pairs, pair{a.Sender, a.Recipient})
		}
	}
	periods, err := s.store.Periods(ctx, pairs)
	if err != nil {
		return err
	}
	for _, i := range own {
		for _, p := range periods[m.Asked[i].Sender] {
			last := before(m.Asked[i])
			if !p.Open() {
				last = min(last, p.ToMsg)
			}
			if p.Recipient == m.Asked[i].Recipient && p.FromMsg < last {
				asked[i].within = append(asked[i].within, ids{p.FromMsg + 1, last})
			}
		}
	}
	found, err := s.store.Earlier(ctx, asked)
	if err != nil {
		return err
	}
	m.Begins = make([]bool, len(m.Asked))
	for i := range m.Begins {
		m.Begins[i] = !found[i]
	}
	return s.brought(ctx, m, own)
}

// brought looks, for those that seem to begin a topic of protected history, for messages that were moved there: of
// such, ids do not tell who has them.
func (s *Service) brought(ctx context.Context, m *message.Begins, own []int) error {
	var asked []earlier
	var at []int
	for _, i := range own {
		if a := m.Asked[i]; m.Begins[i] {
			asked = append(asked, earlier{in: a.Recipient, key: a.TopicKey, within: []ids{{1, before(a)}}})
			at = append(at, i)
		}
	}
	crossed, err := s.store.Crossed(ctx, m.Realm, asked)
	if err != nil {
		return err
	}
	var by []By
	var of []int
	for n, ms := range crossed {
		for _, c := range ms {
			by = append(by, By{m.Asked[at[n]].Sender, c})
			of = append(of, at[n])
		}
	}
	had, err := s.Had(ctx, by)
	for n, h := range had {
		if h.Own {
			m.Begins[of[n]] = false
		}
	}
	return err
}

// before gives the highest id that is lower than that of a message, or of one that is still to be sent.
func before(m message.Message) message.ID {
	if m.ID == 0 {
		return 1 << 60
	}
	return m.ID - 1
}
