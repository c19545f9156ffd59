package oidc

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/stoachat/stoa/modules/kit"
)

// trials try the providers: whether their metadata can be read and is that of the issuer, and whether they have keys.
func (s *service) trials() []kit.Trial {
	var all []kit.Trial
	for i, p := range s.providers {
		all = append(all, kit.Trial{Key: fmt.Sprintf("providers.%d.issuer", i), Run: func(ctx context.Context) error {
			if err := p.try(ctx); err != nil {
				return fmt.Errorf("%s cannot be used: %w; compare issuer with the provider's own settings, to the last slash, "+
					"and see that this machine can open %s/.well-known/openid-configuration", p.Name, err, p.Issuer)
			}
			return nil
		}})
	}
	return all
}

func (p *provider) try(ctx context.Context) error {
	m, err := p.discover(ctx)
	if err != nil {
		return err
	}
	if p.Preset == "github" {
		return p.tryGitHub(ctx)
	}
	var at struct {
		Keys string `json:"jwks_uri"`
	}
	if err := m.Claims(&at); err != nil {
		return err
	}
	if err := checkIssuer(at.Keys); err != nil {
		return fmt.Errorf("the metadata contains the address %q of keys", at.Keys)
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, at.Keys, nil)
	if err != nil {
		return err
	}
	res, err := p.http.Do(r)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	var set struct {
		Keys []json.RawMessage `json:"keys"`
	}
	switch err := json.NewDecoder(res.Body).Decode(&set); {
	case res.StatusCode != http.StatusOK:
		return fmt.Errorf("the address of the keys answers with status %d", res.StatusCode)
	case err != nil:
		return fmt.Errorf("the keys are invalid: %w", err)
	case len(set.Keys) == 0:
		return fmt.Errorf("there are no keys at %s", at.Keys)
	}
	return nil
}
