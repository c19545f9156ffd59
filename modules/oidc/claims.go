package oidc

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"github.com/stoachat/stoa/domain/signin"
)

// claims are the claims of an ID token.
type claims map[string]any

func (c claims) text(name string) string { s, _ := c[name].(string); return s }

// truth reports whether a claim is true; some providers send it as a string.
func (c claims) truth(name string) bool {
	switch v := c[name].(type) {
	case bool:
		return v
	case string:
		return v == "true" || v == "1"
	case float64:
		return v == 1
	}
	return false
}

// list returns a claim that is a list of strings or one string.
func (c claims) list(name string) []string {
	switch v := c[name].(type) {
	case string:
		return []string{v}
	case []any:
		var out []string
		for _, one := range v {
			if s, ok := one.(string); ok {
				out = append(out, s)
			}
		}
		return out
	}
	return nil
}

// exchange exchanges the code of an answer for tokens, verifies them, and returns who the person is. Errors: of the
// provider, or why a token is not valid.
func (p *provider) exchange(
	ctx context.Context, m *metadata, address, code string, s signin.Started,
) (signin.Identity, error) {
	ctx = oidc.ClientContext(ctx, p.http)
	config := p.oauth(m, address)
	options, err := p.authenticate(config, m)
	if err != nil {
		return signin.Identity{}, err
	}
	token, err := config.Exchange(ctx, code, append(options, oauth2.VerifierOption(s.Verifier))...)
	if err != nil {
		return signin.Identity{}, fmt.Errorf("exchanging the code: %w", err)
	}
	if p.Preset == "github" {
		return p.gitHub(ctx, token)
	}
	raw, _ := token.Extra("id_token").(string)
	if raw == "" || !strings.EqualFold(token.Type(), "Bearer") {
		return signin.Identity{}, errors.New("the answer contains no ID token, or no bearer token")
	}
	c, err := p.verify(ctx, m, raw, token.AccessToken, s.Nonce)
	if err != nil {
		return signin.Identity{}, err
	}
	strong := p.strong(c)
	if err := p.complete(ctx, m, c, token); err != nil {
		return signin.Identity{}, err
	}
	id, err := p.identity(c)
	id.SecondFactor = strong
	return id, err
}

// strong reports whether the ID token says that the provider has asked for a second factor in a way that the
// configuration trusts.
func (p *provider) strong(signed claims) bool {
	return slices.Contains(p.TrustACR, signed.text("acr")) && signed.text("acr") != "" ||
		slices.ContainsFunc(signed.list("amr"), func(method string) bool { return slices.Contains(p.TrustAMR, method) })
}

// verify verifies an ID token as OpenID Connect Core 1.0, section 3.1.3.7, says.
func (p *provider) verify(ctx context.Context, m *metadata, raw, access, nonce string) (claims, error) {
	t, err := p.verifier(ctx, m).Verify(ctx, raw)
	if err != nil {
		return nil, err
	}
	c := claims{}
	if err := t.Claims(&c); err != nil {
		return nil, err
	}
	now := p.clock.Now()
	azp, given := c["azp"]
	switch {
	case t.Issuer != p.issuerOf(c):
		return nil, fmt.Errorf("the issuer %q is not allowed", t.Issuer)
	case subtle.ConstantTimeCompare([]byte(t.Nonce), []byte(nonce)) != 1:
		return nil, errors.New("the token belongs to another login")
	case len(t.Audience) > 1 && !given, given && azp != p.ClientID:
		return nil, errors.New("the token was issued to another client")
	case t.IssuedAt.IsZero() || t.IssuedAt.After(now.Add(p.ClockSkew)):
		return nil, errors.New("the token is from the future; compare the clocks")
	case len(p.ACR) > 0 && !slices.Contains(p.ACR, c.text("acr")):
		return nil, errors.New("the authentication context is not one of acr_values")
	case t.AccessTokenHash != "":
		if err := t.VerifyAccessToken(access); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// complete adds claims that the ID token lacks from the UserInfo endpoint, if there is one.
func (p *provider) complete(ctx context.Context, m *metadata, c claims, token *oauth2.Token) error {
	_, groups := c[p.GroupsClaim]
	wanted := p.wantsGroups()
	if c.text(p.EmailClaim) != "" && c.text(p.NameClaim) != "" && (groups || !wanted) || m.UserInfoEndpoint() == "" {
		return nil
	}
	info, err := m.UserInfo(ctx, oauth2.StaticTokenSource(token))
	if err != nil {
		return fmt.Errorf("asking for the person's data: %w", err)
	}
	if info.Subject != c.text("sub") {
		return errors.New("the person's data is that of somebody else")
	}
	more := claims{}
	if err := info.Claims(&more); err != nil {
		return err
	}
	if c.text(p.EmailClaim) == "" { // an address and whether it is verified belong together
		delete(c, "email_verified")
	} else {
		delete(more, "email_verified")
	}
	for name, value := range more {
		if _, signed := c[name]; !signed {
			c[name] = value
		}
	}
	return nil
}

// errOutside is the error for people whom the configuration excludes.
var errOutside = errors.New("the configuration excludes the person's domain or groups")

// identity returns who the claims are about. Errors: errOutside.
func (p *provider) identity(c claims) (signin.Identity, error) {
	at := presets[p.Preset]
	id := signin.Identity{
		Subject: c.text("sub"), Email: c.text(p.EmailClaim), Name: c.text(p.NameClaim), Session: c.text("sid"),
		Verified: c.truth("email_verified"), Groups: c.list(p.GroupsClaim),
	}
	if at.subject != nil {
		id.Subject = at.subject(c)
	}
	if at.verified != nil {
		id.Verified = at.verified(p.providerConfig, c)
	}
	id.Verified = id.Verified || p.TrustEmail
	if _, elsewhere := c["_claim_names"]; elsewhere && len(id.Groups) == 0 && p.wantsGroups() {
		return id, errors.New("the person has so many groups that the provider leaves them out; " +
			"limit the claim to groups assigned to the application")
	}
	_, domain, _ := strings.Cut(id.Email, "@")
	if at.domain != nil {
		domain = at.domain(c)
	}
	if len(p.AllowedDomains) > 0 && !slices.ContainsFunc(p.AllowedDomains, func(d string) bool {
		return strings.EqualFold(d, domain)
	}) {
		return id, errOutside
	}
	if len(p.AllowedGroups) > 0 && !slices.ContainsFunc(p.AllowedGroups, func(g string) bool {
		return slices.Contains(id.Groups, g)
	}) {
		return id, errOutside
	}
	return id, nil
}
