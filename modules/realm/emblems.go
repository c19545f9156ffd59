package realm

import (
	"context"

	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

// SetEmblem implements ports.RealmSettings.
func (s *service) SetEmblem(ctx context.Context, by user.Actor, e realm.Emblem, address string) (*realm.Realm, error) {
	v, err := s.Directory.View(ctx, by.Realm)
	if err != nil {
		return nil, err
	}
	old := v.Realm()
	if old.Emblems[e].Address == address {
		return old, nil
	}
	now := old.WithEmblem(e, address)
	name := string(e)
	return now, s.save(ctx, old, now, updatedDict.To(by.Realm, event.Everyone(), dict{name, map[string]any{
		name + "_url": now.EmblemURL(e), name + "_source": now.EmblemSource(e),
	}}))
}
