package delivery

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/stoachat/stoa/domain/push"
	"github.com/stoachat/stoa/domain/relay"
)

// result is the result of one attempt to deliver.
type result struct {
	outcome push.Outcome
	wait    time.Duration // the delay that the service requests before a retry
	reason  string        // why it failed; never contains the token
}

var delivered = result{outcome: push.Delivered}

// repairDelay is the delay before a retry after a failure that only corrected credentials can fix.
const repairDelay = 24 * time.Hour

// Deliver implements ports.PushDelivery.
func (d *Delivery) Deliver(ctx context.Context, all []relay.Delivery) []push.Outcome {
	results := make([]result, len(all))
	pending := make([]int, len(all))
	for i := range all {
		pending[i] = i
	}
	share := make(chan struct{}, max(1, cap(d.workers)/shares))
	waited := time.Duration(0)
	for backoff := d.cfg.Retry; ; backoff *= 2 {
		d.sendRound(ctx, share, all, pending, results)
		longest := time.Duration(0)
		retries := pending[:0]
		for _, i := range pending {
			wait := max(backoff, results[i].wait)
			if results[i].outcome == push.Later && waited+wait <= d.cfg.RetryFor {
				retries = append(retries, i)
				longest = max(longest, wait)
			}
		}
		pending = retries
		if waited += longest; len(pending) == 0 || !pause(ctx, longest) {
			break
		}
	}
	d.report(ctx, all, results)
	out := make([]push.Outcome, len(all))
	for i, r := range results {
		out[i] = r.outcome
	}
	return out
}

// shares is the number of equal shares into which the workers are divided. A call may use only one share, so that a
// call with unresponsive addresses leaves workers for others.
const shares = 16

// sendRound attempts each of the given deliveries once.
func (d *Delivery) sendRound(
	ctx context.Context, share chan struct{}, all []relay.Delivery, pending []int, results []result,
) {
	var running sync.WaitGroup
	defer running.Wait()
	for _, i := range pending {
		if !acquire(ctx, share) {
			results[i] = result{reason: "the call took too long"}
			continue
		}
		if !acquire(ctx, d.workers) {
			<-share
			results[i] = result{reason: "the call took too long"}
			continue
		}
		running.Go(func() {
			defer func() { <-d.workers; <-share }()
			results[i] = d.try(ctx, all[i])
		})
	}
}

func acquire(ctx context.Context, slots chan struct{}) bool {
	select {
	case slots <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}

// try sends a notification to its service.
func (d *Delivery) try(ctx context.Context, n relay.Delivery) (r result) {
	defer func() {
		if p := recover(); p != nil { // tokens are untrusted input to the libraries
			r = result{outcome: push.Refused, reason: fmt.Sprintf("panic: %v", p)}
		}
	}()
	expires := d.clock.Now().Add(d.cfg.TTL)
	switch {
	case n.Kind == push.APNs && d.apns != nil:
		return d.apns.send(ctx, n, expires)
	case n.Kind == push.FCM && d.fcm != nil:
		return d.fcm.send(ctx, n, d.cfg.TTL)
	case n.Kind == push.Web && d.web != nil:
		return d.web.send(ctx, n, d.cfg.TTL)
	}
	return result{reason: "the service is not configured any more", wait: repairDelay}
}

func pause(ctx context.Context, wait time.Duration) bool {
	t := time.NewTimer(wait)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// report logs why notifications were not delivered, one line per reason.
func (d *Delivery) report(ctx context.Context, all []relay.Delivery, results []result) {
	type reason struct {
		kind push.TokenKind
		why  string
	}
	counts := map[reason]int{}
	for i, r := range results {
		if r.outcome == push.Later || r.outcome == push.Refused {
			counts[reason{all[i].Kind, r.reason}]++
		}
	}
	for r, n := range counts {
		d.log.WarnContext(ctx, "push notifications were not delivered",
			"service", string(r.kind), "reason", r.why, "count", n)
	}
}

// unreachable returns the result for a request without a response. It omits the URL, which contains the token.
func unreachable(err error) result {
	if at := (*url.Error)(nil); errors.As(err, &at) {
		err = at.Err
	}
	return result{reason: err.Error()}
}

// retryAfter parses a Retry-After header in seconds. The services do not use dates.
func retryAfter(h http.Header) time.Duration {
	n, err := strconv.Atoi(strings.TrimSpace(h.Get("Retry-After")))
	if err != nil || n < 0 || n > 86400 {
		return 0
	}
	return time.Duration(n) * time.Second
}

// isOrigin reports whether a text is an https URL without path, query or credentials.
func isOrigin(text string) bool {
	u, err := url.Parse(text)
	return err == nil && u.Scheme == "https" && u.Host != "" && u.User == nil && u.Path == "" && u.RawQuery == ""
}
