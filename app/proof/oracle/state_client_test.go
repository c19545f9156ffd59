package oracle_test

import (
	"fmt"
	"math/rand/v2"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/app/proof/internal/harness"
)

// asks holds the parameters with which a client registers for events.
type asks struct {
	can   map[string]bool // its capabilities
	lists string          // include_subscribers
	more  []string        // other parameters
}

// everyCapability returns a modern client's parameters.
func everyCapability() asks {
	c := asks{can: harness.ModernClient(), lists: "true"}
	c.can[moduleSettings] = true
	return c
}

// oldClient returns a very old client's parameters.
func oldClient() asks {
	c := asks{can: map[string]bool{}, lists: "true"}
	for _, name := range []string{"notification_settings_null", "bulk_message_deletion", "user_settings_object",
		"linkifier_url_template", "empty_topic_name"} {
		c.can[name] = true
	}
	return c
}

func someCapabilities(rnd *rand.Rand) asks {
	c := asks{can: map[string]bool{}, lists: []string{"true", "true", "false", "partial"}[rnd.IntN(4)]}
	for _, name := range append(harness.Capabilities(), moduleSettings) {
		c.can[name] = rnd.IntN(2) == 0
	}
	for _, name := range []string{"client_gravatar", "slim_presence", "apply_markdown"} {
		c.more = append(c.more, name, fmt.Sprint(rnd.IntN(2) == 0))
	}
	return c
}

// params returns the parameters of /register.
func (c asks) params() []string {
	return append([]string{"include_subscribers", c.lists, "client_capabilities", kittest.JSON(c.can),
		"idle_queue_timeout", "604800"}, c.more...)
}

// listener is a user's client that follows an event queue.
type listener struct {
	name   string
	ask    *kittest.Client
	client asks
	queue  *kittest.Queue
	model  *model
	seen   []string // all events since registration
}

func listen(ask *kittest.Client, name string, c asks) *listener {
	q := ask.Register(c.params()...)
	l := &listener{name: name, ask: ask, client: c, queue: q, model: newModel(q.Start, c)}
	l.model.askSettings(ask)
	return l
}

// follow polls the queue and applies new events.
func (l *listener) follow() error {
	a := l.queue.Poll()
	if a.Status != 200 {
		return fmt.Errorf("no events: %d %s", a.Status, a.Body)
	}
	var res struct{ Events []object }
	a.JSON(&res)
	for _, e := range res.Events {
		l.queue.Last = number(e["id"])
		l.seen = append(l.seen, kittest.JSON(e))
		if err := l.model.apply(e); err != nil {
			return fmt.Errorf("%w\n%s", err, kittest.JSON(e))
		}
	}
	return nil
}

// compare registers again and compares the states. It also checks that the new state is consistent in itself.
func (l *listener) compare() []string {
	fresh := newModel(l.ask.Do("POST /register", append(l.client.params(), "event_types", "null")...).OK(), l.client)
	fresh.askSettings(l.ask)
	events, register := l.model.flat(), fresh.flat()
	register["unread count"] = fresh.counted
	settle(l.model, events, register)
	bad := append(differences(l.name, events, register), fresh.ended()...)
	return append(bad, l.reread()...)
}
