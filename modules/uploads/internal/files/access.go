package files

import (
	"context"

	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/upload"
	"github.com/stoachat/stoa/modules/kit"
)

// perLook is how many of the messages that refer to a file are looked at at once, newest first.
const perLook = 500

// Find gives a file that the actor may read: their own, or one that a message refers to which they may read. User 0 is a spectator,
// whom the edge has let in. Errors: NotFound, the same for missing and unreadable.
func (s *Service) Find(ctx context.Context, a kit.Actor, path string) (*upload.File, error) {
	if !upload.CheckPathID(a.Realm, path) {
		return nil, upload.Missing()
	}
	f, err := s.Store.ByPath(ctx, a.Realm, path)
	if err != nil {
		return nil, err
	}
	if f == nil {
		return nil, upload.Missing()
	}
	may, err := s.reads(ctx, a, f)
	if err == nil && !may {
		err = upload.Missing()
	}
	if err != nil {
		return nil, err
	}
	return f, nil
}

func (s *Service) reads(ctx context.Context, a kit.Actor, f *upload.File) (bool, error) {
	if a.User != 0 && f.Owner == a.User {
		return true, nil
	}
	for below := message.ID(1 << 62); ; {
		ids, err := s.Store.Messages(ctx, f.ID, below, perLook)
		if err != nil || len(ids) == 0 {
			return false, err
		}
		if any, err := s.Messages.Readable(ctx, a, ids...); err != nil || any {
			return any, err
		}
		below = ids[len(ids)-1]
	}
}
