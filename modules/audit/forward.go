package audit

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/stoachat/stoa/domain/audit"
	"github.com/stoachat/stoa/modules/audit/internal/sink"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

// forwarding sends entries to one sink, from the position that the table audit_sinks holds per realm. An attempt that
// fails is repeated, so that entries may arrive twice but none is lost, except those that are deleted because of their
// age before the sink accepts them.
type forwarding struct {
	*service
	name    string
	to      sink.Sink
	backlog kit.Backlog
	gaps    *ports.Counter
	sent    *ports.Counter
}

// forwardPage is how many entries are sent at a time.
const forwardPage = 500

// forwardings returns the configured sinks.
func (s *service) forwardings() []*forwarding {
	var all []*forwarding
	add := func(name string, configured bool, to sink.Sink) {
		if configured {
			all = append(all, &forwarding{service: s, name: name, to: to, backlog: kit.Backlog{Earliest: waiting(name)}})
		}
	}
	add("file", s.cfg.File.Path != "", s.cfg.File)
	add("syslog", s.cfg.Syslog.Addr != "", s.cfg.Syslog)
	add("http", s.cfg.HTTP.URL != "", s.cfg.HTTP)
	s.measure(all)
	return all
}

// measure creates the instruments of the sinks.
func (s *service) measure(all []*forwarding) {
	if len(all) == 0 {
		return
	}
	names := make([]string, len(all))
	for i, f := range all {
		names[i] = f.name
	}
	label := ports.Label{Name: "sink", Values: names}
	gaps := s.Metrics.Counter(ports.Instrument{Name: "stoa_audit_gaps_total", Labels: []ports.Label{label},
		Help: "Entries of the audit log that were deleted before the sink accepted them."})
	sent := s.Metrics.Counter(ports.Instrument{
		Name: "stoa_audit_sent_total", Labels: []ports.Label{label, ports.Outcomes()},
		Help: "Attempts to send entries of the audit log. Those that fail are repeated.",
	})
	for _, f := range all {
		f.gaps, f.sent = gaps, sent
	}
	s.Metrics.Gauge(ports.Instrument{
		Name: "stoa_audit_waiting", Labels: []ports.Label{label}, Age: 15 * time.Second,
		Help: "Entries of the audit log that wait to be sent.",
	}, func(ctx context.Context, set ports.SetValue) error {
		for _, f := range all {
			n, err := s.store.Waiting(ctx, f.name)
			if err != nil {
				return err
			}
			set(float64(n), f.name)
		}
		return nil
	})
}

// job returns the job that sends entries. After a failure, it runs again when the interval is over.
func (f *forwarding) job() kit.Job {
	return kit.Job{
		Name: "send to " + f.name, Every: 10 * time.Second, Backlog: &f.backlog, Timeout: 5 * time.Minute, Run: f.run,
	}
}

// run sends what is waiting.
func (f *forwarding) run(ctx context.Context) error {
	positions, err := f.store.Positions(ctx, f.name)
	if err != nil {
		return err
	}
	for _, p := range positions {
		err = errors.Join(err, f.realm(ctx, p))
	}
	return err
}

// realm sends the waiting entries of one realm.
func (f *forwarding) realm(ctx context.Context, p position) error {
	if p.Seq < p.AnchorSeq {
		f.gaps.Add(int(p.AnchorSeq-p.Seq), f.name)
		p.Seq = p.AnchorSeq
	}
	for p.Seq < p.Head {
		page, err := f.entries(ctx, audit.Query{Realm: p.RealmID, After: p.Seq, Limit: forwardPage})
		if err != nil || len(page) == 0 {
			return err
		}
		err = f.to.Send(ctx, page)
		f.sent.Add(1, f.name, ports.Outcome(err))
		if err != nil {
			return fmt.Errorf("%s: %w", f.name, err)
		}
		p.Seq = page[len(page)-1].ID
		advance := func(ctx context.Context) error { return f.store.Advance(ctx, f.name, p) }
		if err := f.Work.Do(ctx, advance); err != nil {
			return err
		}
	}
	return nil
}
