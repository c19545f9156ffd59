package server

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/stoachat/stoa/domain/blob"
	"github.com/stoachat/stoa/modules/kit"
)

// fileDiagnoses returns the checks of what is not in the database: files, and other services.
func (s *Server) fileDiagnoses() []kit.Diagnosis {
	return []kit.Diagnosis{{
		Name: "services", Doc: "The disk has space, and the services that the server uses respond.", Run: s.examineServices,
	}, {
		Name: "files", Doc: "There is a file for each row that refers to one, and no file without a row.",
		Run: s.examineFiles, Fix: s.deleteUnnamed,
	}}
}

// examineServices runs all health checks but that of the database, which has checks of its own. What is wrong with a
// bucket is left to its check if that finds something.
func (s *Server) examineServices(ctx context.Context) ([]kit.Finding, error) {
	var all []kit.Finding
	for _, c := range s.health.Checks() {
		if c.Name == databaseCheck {
			continue
		}
		within, cancel := context.WithTimeout(ctx, 10*time.Second)
		err := c.Run(within)
		known := err != nil && c.Name == blobCheck && s.probeStore(within) != nil
		cancel()
		if err == nil || known {
			continue
		}
		f := kit.Finding{
			Text: c.Name + ": " + oneLine(cause(err)), Minor: c.Minor,
			Remedy: "correct the settings of the service, or start it",
		}
		var refused *blob.RefusedError
		if errors.As(err, &refused) {
			f.Text, f.Remedy = c.Name+": "+refused.Text, refused.Remedy
		}
		all = append(all, f)
	}
	return all, nil
}

// unnamedFor is how long files without a row are kept.
const unnamedFor = 5 * 7 * 24 * time.Hour

const namedFiles = 3 // files in a finding

func (s *Server) examineFiles(ctx context.Context) ([]kit.Finding, error) {
	if s.Ports.Blobs == nil || s.Ports.Blobs.Check(ctx) != nil {
		return nil, nil //nolint:nilerr // see examineServices
	}
	missing, unnamed, err := s.compareFiles(ctx)
	if err != nil {
		return nil, err
	}
	var all []kit.Finding
	if n := len(missing); n > 0 {
		all = append(all, kit.Finding{
			Text:   fmt.Sprintf("%d files are missing, such as %s", n, strings.Join(missing[:min(n, namedFiles)], ", ")),
			Remedy: "copy the files from a backup; stoa blobs check lists them",
		})
	}
	if n := len(unnamed); n > 0 {
		all = append(all, kit.Finding{
			Text: fmt.Sprintf("%d files older than five weeks have no row, such as %s", n,
				strings.Join(unnamed[:min(n, namedFiles)], ", ")),
			Minor: true,
		})
	}
	return all, nil
}

// compareFiles returns the keys of missing files, and of files that have had no row for long.
func (s *Server) compareFiles(ctx context.Context) (missing, unnamed []string, err error) {
	before := s.options.Clock.Now().Add(-unnamedFor)
	_, err = s.CompareBlobs(ctx, BlobReport{
		Missing: func(key string) { missing = append(missing, key) },
		Unnamed: func(e blob.Entry) {
			if e.Modified.Before(before) {
				unnamed = append(unnamed, e.Key)
			}
		},
	})
	return missing, unnamed, err
}

func (s *Server) deleteUnnamed(ctx context.Context) error {
	_, unnamed, err := s.compareFiles(ctx)
	if err != nil {
		return err
	}
	for some := range slices.Chunk(unnamed, perPage) {
		if err := s.Ports.Blobs.Delete(ctx, some...); err != nil {
			return err
		}
	}
	return nil
}
