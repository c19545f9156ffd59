package oidc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"github.com/stoachat/stoa/domain/signin"
)

// gitHubMetadata returns what a discovery document of GitHub, which has none, would say.
func (p *provider) gitHubMetadata(ctx context.Context) *metadata {
	return &metadata{Provider: (&oidc.ProviderConfig{
		IssuerURL: p.Issuer, AuthURL: p.Issuer + "/login/oauth/authorize", TokenURL: p.Issuer + "/login/oauth/access_token",
	}).NewProvider(ctx)}
}

// gitHubAPI returns the address of the API of GitHub, or of a GitHub Enterprise Server.
func (p *provider) gitHubAPI() string {
	if p.Issuer == presets["github"].issuer {
		return "https://api.github.com"
	}
	return p.Issuer + "/api/v3"
}

// gitHub returns who the person with a token is. Errors: errOutside.
func (p *provider) gitHub(ctx context.Context, token *oauth2.Token) (signin.Identity, error) {
	var u struct {
		ID    int64  `json:"id"`
		Login string `json:"login"`
		Name  string `json:"name"`
	}
	if err := p.askGitHub(ctx, token, "/user", &u); err != nil {
		return signin.Identity{}, err
	}
	if u.ID <= 0 {
		return signin.Identity{}, errors.New("the person has no ID")
	}
	c := claims{"sub": strconv.FormatInt(u.ID, 10), p.NameClaim: u.Name}
	if u.Name == "" {
		c[p.NameClaim] = u.Login
	}
	var addresses []gitHubAddress
	if err := p.askGitHub(ctx, token, "/user/emails?per_page=100", &addresses); err != nil {
		return signin.Identity{}, err
	}
	if address := p.gitHubAddress(addresses); address != "" {
		c[p.EmailClaim], c["email_verified"] = address, true
	}
	if p.wantsGroups() {
		var teams []struct {
			Slug string `json:"slug"`
			Of   struct {
				Login string `json:"login"`
			} `json:"organization"`
		}
		if err := p.askGitHub(ctx, token, "/user/teams?per_page=100", &teams); err != nil {
			return signin.Identity{}, err
		}
		if len(teams) == 100 {
			return signin.Identity{}, errors.New("the person is in more teams than can be read")
		}
		var groups []any
		for _, t := range teams {
			groups = append(groups, t.Of.Login+"/"+t.Slug, t.Of.Login)
		}
		c[p.GroupsClaim] = groups
	}
	return p.identity(c)
}

type gitHubAddress struct {
	Email    string `json:"email"`
	Primary  bool   `json:"primary"`
	Verified bool   `json:"verified"`
}

// gitHubAddress returns the person's address: a verified one, at which mail arrives, in one of allowed_domains if there
// are any, and rather the primary one.
func (p *provider) gitHubAddress(all []gitHubAddress) string {
	best := ""
	for _, a := range all {
		_, domain, _ := strings.Cut(strings.ToLower(a.Email), "@")
		allowed := len(p.AllowedDomains) == 0 || slices.ContainsFunc(p.AllowedDomains, func(d string) bool {
			return strings.EqualFold(d, domain)
		})
		noReply := domain == "noreply.github.com" || strings.HasSuffix(domain, ".noreply.github.com") ||
			strings.HasPrefix(domain, "users.noreply.")
		if a.Verified && allowed && !noReply && (a.Primary || best == "") {
			best = a.Email
		}
	}
	return best
}

// askGitHub reads an answer of the API.
func (p *provider) askGitHub(ctx context.Context, token *oauth2.Token, path string, to any) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, p.gitHubAPI()+path, nil)
	if err != nil {
		return err
	}
	r.Header.Set("Accept", "application/vnd.github+json")
	r.Header.Set("X-GitHub-Api-Version", "2022-11-28")
	token.SetAuthHeader(r)
	res, err := p.http.Do(r)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("GitHub answers %s with status %d", path, res.StatusCode)
	}
	return json.NewDecoder(res.Body).Decode(to)
}

// tryGitHub tries whether the API answers.
func (p *provider) tryGitHub(ctx context.Context) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, p.gitHubAPI()+"/meta", nil)
	if err != nil {
		return err
	}
	res, err := p.http.Do(r)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("the API answers with status %d", res.StatusCode)
	}
	return nil
}
