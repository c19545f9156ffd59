package files

import (
	"context"
	"time"

	"github.com/stoachat/stoa/modules/uploads/internal/store"
	"github.com/stoachat/stoa/ports"
)

// measures are the service's instruments. They are nil while metrics are off.
type measures struct {
	uploads *ports.Counter // by outcome
	bytes   *ports.Counter
}

func measure(m *ports.Metrics, s *store.Store) measures {
	m.Gauge(ports.Instrument{
		Name: "stoa_storage_bytes", Help: "Bytes of uploaded files: in use, and of deleted messages that are still kept.",
		Labels: []ports.Label{{Name: "kind", Values: []string{"files", "archive"}}}, Age: 5 * time.Minute,
	}, func(ctx context.Context, set ports.SetValue) error {
		files, archive, err := s.SpaceOfAll(ctx)
		set(float64(files), "files")
		set(float64(archive), "archive")
		return err
	})
	return measures{
		uploads: m.Counter(ports.Instrument{Name: "stoa_uploads_total", Labels: []ports.Label{ports.Outcomes()},
			Help: "Files that were uploaded, or that could not be stored."}),
		bytes: m.Counter(ports.Instrument{Name: "stoa_upload_bytes_total", Help: "Bytes of the files that were uploaded."}),
	}
}
