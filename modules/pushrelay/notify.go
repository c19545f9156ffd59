package pushrelay

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/push"
	"github.com/stoachat/stoa/domain/relay"
)

// useInterval is the minimum time between updates of a token's last use, so that few calls write it.
const useInterval = 24 * time.Hour

// notify handles POST push/e2ee/notify. It delivers notifications and reports which tokens are no longer valid. Errors:
// BadRequest, MissingRemoteRealm, RateLimit; Unavailable if no push service accepted any of them.
func (s *service) notify(ctx context.Context, by *relay.Server, r *http.Request) (map[string]any, error) {
	body, err := readBody(r)
	if err != nil {
		return nil, err
	}
	quota := relay.Quota{Size: orDefault(by.Notifications, s.cfg.Notifications), Per: time.Minute}
	in, err := relay.ReadCall(body, min(s.cfg.MaxRequests, quota.Size))
	if err != nil {
		return nil, err
	}
	now := s.Clock.Now()
	if err := s.limits.take(by.ID, notifications, quota, len(in.Requests), now); err != nil {
		return nil, err
	}
	remote, err := s.store.Remote(ctx, by.ID, in.Realm)
	if err != nil {
		return nil, err
	}
	if remote == 0 {
		return nil, errs.New(errs.MissingRemoteRealm, "No device of this organization has been registered.")
	}
	tokens, err := s.loadTokens(ctx, remote, in.Requests)
	if err != nil {
		return nil, err
	}
	deliverCtx, cancel := context.WithTimeout(ctx, s.cfg.Timeout)
	defer cancel()
	out := s.deliver(deliverCtx, by.ID, in, tokens)
	// Do not return an error: the notifications have been delivered, and the server would send them again.
	if err := s.record(ctx, tokens, out, now); err != nil {
		s.Logger.WarnContext(ctx, "push relay cannot record a delivery", "error", err)
	}
	return out.response(in.Repeats)
}

// loadTokens loads the tokens of requests by ID. It omits tokens that cannot be decrypted because the secret has
// changed, so that their devices register again.
func (s *service) loadTokens(ctx context.Context, remote int64, requests []relay.Request) (map[string]*token, error) {
	tokens := map[string]*token{}
	if len(requests) == 0 {
		return tokens, nil
	}
	ids := make([]string, len(requests))
	for i, r := range requests {
		ids[i] = r.TokenID
	}
	slices.Sort(ids)
	rows, err := s.store.Tokens(ctx, remote, slices.Compact(ids))
	if err != nil {
		return nil, err
	}
	for i := range rows {
		t, err := s.store.open(&rows[i])
		switch {
		case errs.Is(err, errs.NotFound):
			s.Logger.WarnContext(ctx, "cannot decrypt a push token; has the server's secret changed?", "id", rows[i].ID)
		case err != nil:
			return nil, err
		default:
			tokens[rows[i].TokenID] = t
		}
	}
	return tokens, nil
}

// outcome holds the results of delivering the notifications of a call. Tokens are listed by ID.
type outcome struct {
	sent         map[push.TokenKind]int
	dead         []string // invalid tokens
	later        []string // tokens whose push service failed temporarily
	refused      int      // number of notifications that a push service rejected
	fromServices []string // tokens in dead that a push service has reported
}

// deliver delivers notifications, except duplicates of recently delivered ones.
func (s *service) deliver(ctx context.Context, server string, in relay.Call, tokens map[string]*token) outcome {
	out := outcome{sent: map[push.TokenKind]int{}, dead: []string{}, later: []string{}}
	var send []relay.Delivery
	var ids []string
	for _, r := range in.Requests {
		t := tokens[r.TokenID]
		if t == nil || t.Kind != r.Kind {
			out.dead = append(out.dead, r.TokenID)
			continue
		}
		d := r.To(t.Target, server, in.Realm)
		if s.recent.has(d.Collapse) {
			out.sent[d.Kind]++
			continue
		}
		send, ids = append(send, d), append(ids, r.TokenID)
	}
	var outcomes []push.Outcome
	if len(send) > 0 {
		outcomes = s.Delivery.Deliver(ctx, send)
	}
	for i, o := range outcomes {
		switch o {
		case push.Delivered:
			out.sent[send[i].Kind]++
			s.recent.add(send[i].Collapse)
		case push.Dead:
			out.fromServices = append(out.fromServices, ids[i])
		case push.Later:
			out.later = append(out.later, ids[i])
		case push.Refused:
			out.refused++
		}
	}
	out.dead = compact(append(out.dead, out.fromServices...))
	out.later = compact(out.later)
	return out
}

func compact(ids []string) []string {
	slices.Sort(ids)
	return slices.Compact(ids)
}

// record deletes tokens that push services have reported as invalid, and records the use of the others.
func (s *service) record(ctx context.Context, tokens map[string]*token, out outcome, now time.Time) error {
	var dead, used []int64
	for _, id := range compact(out.fromServices) {
		dead = append(dead, tokens[id].ID)
	}
	for id, t := range tokens {
		if t.Used.Before(now.Add(-useInterval)) && !slices.Contains(out.dead, id) {
			used = append(used, t.ID)
		}
	}
	if len(dead)+len(used) == 0 {
		return nil
	}
	return s.Work.Do(context.WithoutCancel(ctx), func(ctx context.Context) error {
		return errors.Join(s.store.ForgetTokens(ctx, dead, now), s.store.UseTokens(ctx, used, now))
	})
}

// response builds the response to the server. handlesRetries reports whether the server handles retry_token_ids.
// Errors: Unavailable if it does not and all notifications failed temporarily.
func (o outcome) response(handlesRetries bool) (map[string]any, error) {
	sent := o.sent[push.FCM] + o.sent[push.APNs] + o.sent[push.Web]
	if !handlesRetries && len(o.later) > 0 && sent+len(o.dead)+o.refused == 0 {
		return nil, errs.New(errs.Unavailable, "The push services are not responding; please try again.").
			With("retry-after", 10)
	}
	return map[string]any{
		"android_successfully_sent_count": o.sent[push.FCM],
		"apple_successfully_sent_count":   o.sent[push.APNs],
		"web_successfully_sent_count":     o.sent[push.Web],
		"delete_token_ids":                o.dead,
		"retry_token_ids":                 o.later,
		"realm_push_status":               map[string]any{"can_push": true, "expected_end_timestamp": nil},
	}, nil
}
