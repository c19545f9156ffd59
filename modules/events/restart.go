package events

import (
	"context"
	"maps"

	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/realm"
)

// describe returns the keys that describe the server, including their aliases.
func (s *service) describe(ctx context.Context) (map[string]any, error) {
	keys := map[string]any{
		"service_feature_level": realm.FeatureLevel,
		"service_version":       realm.Version,
		"service_merge_base":    realm.MergeBase,
	}
	aliases, _, err := s.Aliases.Ask(ctx, realm.KeyAliases{Keys: keys})
	maps.Copy(keys, aliases)
	return keys, err
}

// addRestart adds a restart event if the server has started since it last served the queue.
func (s *service) addRestart(ctx context.Context, p *poll, out *eventArray) error {
	h := p.hub
	h.mu.Lock()
	owed := p.queue.restartPending
	p.queue.restartPending = false
	h.mu.Unlock()
	if !owed {
		return nil
	}
	keys, err := s.describe(ctx)
	if err != nil {
		return err
	}
	keys["server_generation"] = s.boot.Unix()
	fields, err := members(keys)
	if err != nil {
		return err
	}
	return s.ephemeral(
		ctx,
		h,
		p.queue,
		max(p.since, event.NewID(p.clean, 0)),
		p.clean,
		out,
		append(head("restart", ""), fields...),
	)
}
