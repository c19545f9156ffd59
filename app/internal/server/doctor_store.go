package server

import (
	"context"
	"errors"

	"github.com/stoachat/stoa/domain/blob"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

// blobCheck is the health check of the store of files.
const blobCheck = "adapters.blob"

// storeDiagnoses returns the check of a store that may refuse what the server does, such as a bucket.
func (s *Server) storeDiagnoses() []kit.Diagnosis {
	b := s.Ports.Blobs
	if m, ok := b.(interface{ unmeasured() ports.Blobs }); ok {
		b = m.unmeasured()
	}
	p, ok := b.(ports.BlobProbe)
	if !ok {
		return nil
	}
	return []kit.Diagnosis{{
		Name: "store", Doc: "Objects can be stored in the bucket, read and deleted.",
		Run: func(ctx context.Context) ([]kit.Finding, error) {
			err := p.Probe(ctx)
			var refused *blob.RefusedError
			if errors.As(err, &refused) {
				return []kit.Finding{{Text: refused.Text, Remedy: refused.Remedy}}, nil
			}
			return nil, err
		},
	}}
}
