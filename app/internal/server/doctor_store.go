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

// storeProbe returns the store of files if it may refuse what the server does, such as a bucket; otherwise nil.
func (s *Server) storeProbe() ports.BlobProbe {
	b := s.Ports.Blobs
	if m, ok := b.(interface{ unmeasured() ports.Blobs }); ok {
		b = m.unmeasured()
	}
	p, _ := b.(ports.BlobProbe)
	return p
}

func (s *Server) probeStore(ctx context.Context) error {
	if p := s.storeProbe(); p != nil {
		return p.Probe(ctx)
	}
	return nil
}

// storeDiagnoses returns the check of a store that may refuse what the server does.
func (s *Server) storeDiagnoses() []kit.Diagnosis {
	if s.storeProbe() == nil {
		return nil
	}
	return []kit.Diagnosis{{
		Name: "store", Doc: "Objects can be stored in the bucket, read and deleted.",
		Run: func(ctx context.Context) ([]kit.Finding, error) {
			err := s.probeStore(ctx)
			var refused *blob.RefusedError
			if errors.As(err, &refused) {
				return []kit.Finding{{Text: refused.Text, Remedy: refused.Remedy}}, nil
			}
			return nil, err
		},
	}}
}
