package saml

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/stoachat/stoa/modules/kit"
)

// trials try to read the metadata of the providers that publish it, and whether its certificates are valid.
func (s *service) trials() []kit.Trial {
	var all []kit.Trial
	for i, p := range s.providers {
		if p.MetadataURL == "" {
			continue
		}
		all = append(all, kit.Trial{Key: fmt.Sprintf("providers.%d.metadata_url", i), Run: func(ctx context.Context) error {
			if err := p.try(ctx); err != nil {
				return fmt.Errorf("%s cannot be used: %w; compare metadata_url with what the provider shows, and see that this "+
					"machine can open it", p.Name, err)
			}
			return nil
		}})
	}
	return all
}

func (p *provider) try(ctx context.Context) error {
	doc, err := p.fetch(ctx)
	if err != nil {
		return err
	}
	m, err := p.parse(doc)
	if err != nil {
		return err
	}
	now := p.clock.Now()
	if !m.ValidUntil.IsZero() && now.After(m.ValidUntil) {
		return errors.New("the metadata has expired")
	}
	known, err := certificatesOf(m)
	if end := lastEnd(known); err == nil && !now.Before(end) {
		err = fmt.Errorf("its last certificate expired on %s", end.UTC().Format(time.DateOnly))
	}
	return err
}
