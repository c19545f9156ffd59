package events

import "time"

// busyFactor times the hold-back is how long a queue counts as busy after a response with events.
const busyFactor = 10

// maxDelayed is the number of polls that are held back at once before the rest waits for the timer unexamined.
const maxDelayed = 500

// busy reports whether the queue's last response with events was a moment before now. The responses to a busy queue are
// held back, so that a burst of events causes one response instead of many. A quiet queue responds at once.
func (h *hub) busy(q *queue, now time.Time) bool { return now.Sub(q.answered) < busyFactor*h.holdBack }

// delay marks a poll as one to wake when the hold-back has passed.
func (h *hub) delay(p *poll) {
	if p.woken || p.delayed {
		return
	}
	p.delayed = true
	h.delayed = append(h.delayed, p)
	h.arm()
}

// arm starts the hub's timer. There is one timer for all polls that are held back, and none otherwise, so a poll waits
// for at most the hold-back.
func (h *hub) arm() {
	if !h.armed {
		h.armed = true
		h.after(h.holdBack, h.resumeDelayed)
	}
}

// resumeDelayed wakes the polls that were held back.
func (h *hub) resumeDelayed() {
	h.mu.Lock()
	h.armed = false
	for _, p := range h.delayed {
		h.wake(p)
	}
	h.delayed = nil
	for i := range h.offered {
		h.offered[i].due = true
	}
	h.mu.Unlock()
	h.wakeSome(fanOut)
}

// respond returns the response to the poll.
func (s *service) respond(p *poll, out *eventArray) pollRes {
	if out.n > 0 {
		now := s.Clock.Now()
		p.hub.mu.Lock()
		p.queue.answered, p.queue.sent, p.queue.sentTo = now, len(out.text), out.last
		p.hub.mu.Unlock()
	}
	res := p.answer(out)
	if len(out.live) > 0 {
		res.sent = &sent{s, p, out.live}
	}
	return res
}
