package twofactor

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"html/template"
	"net/http"
	"strings"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"

	"github.com/stoachat/stoa/domain/audit"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/session"
	"github.com/stoachat/stoa/domain/signin"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/kit/page"
)

// passkeyPath is the path of the page to log in with a passkey instead of a password.
const passkeyPath = "/accounts/login/passkey"

//go:embed passkey.html
var passkeyText string

// Scripts: askScript asks the browser for a passkey, passkeyScript does it on the module's pages when a button is
// pressed, and autofillScript on the login page when the browser completes the address.
var (
	//go:embed webauthn.js
	askScript string
	//go:embed passkey.js
	passkeyScript string
	//go:embed autofill.js
	autofillScript string
)

var passkeyTemplate = page.Template("passkey", passkeyText)

// passkeyData is the data of the page to log in with a passkey.
type passkeyData struct {
	page.Preference

	Realm   string
	Step    string // identifies the login in the form
	Options string // JSON for the browser
	Wrong   bool   // the passkey was not accepted

	page.Finished
}

// Script implements page.Scripted.
func (p passkeyData) Script() template.JS { return scriptFor(p.Options) }

// Script implements page.Scripted.
func (c content) Script() template.JS { return scriptFor(c.Options) }

func scriptFor(options string) template.JS {
	if options == "" {
		return ""
	}
	return template.JS(askScript + passkeyScript) // #nosec G203 -- embedded files
}

// passkeyPage logs people in with a passkey, which is two factors: the device, and how it recognizes its owner.
func (s *service) passkeyPage(r *http.Request) (passkeyData, error) {
	if strings.TrimSuffix(r.URL.Path, "/") != passkeyPath {
		return passkeyData{}, errs.New(errs.NotFound, "This page does not exist.")
	}
	v, by, err := s.visit(r)
	if err != nil {
		return passkeyData{}, err
	}
	p := passkeyData{
		Preference: page.Preference{Organization: v.Realm().Settings.DefaultLanguage}, Realm: v.Realm().Settings.Name,
	}
	flow, err := signin.ParseFlow(r.URL.Query())
	if err != nil {
		return p, err
	}
	if r.Method != http.MethodPost {
		return s.offer(r, by, p, flow)
	}
	if err := page.ReadForm(r); err != nil {
		return p, err
	}
	one, err := s.find(r.Context(), r, by.Realm, r.PostForm.Get("step"))
	if err != nil {
		return p, err
	}
	if one.UserID != 0 {
		return p, expired()
	}
	text := r.PostForm.Get("credential")
	done, err := kit.Tx(r.Context(), s.Work, func(ctx context.Context) (page.Finished, error) {
		now := *one
		var err error
		if now.UserID, err = s.first(ctx, by.Realm, page.Origin(r), p.Realm, one, text); err != nil {
			return page.Finished{}, err
		}
		return s.finish(ctx, r, by, &now, key)
	})
	if !errs.Is(err, errs.BadRequest) {
		p.Finished = done
		return p, err
	}
	f := fact(by, audit.SecondFactorRefused, 0, key)
	f.Target, f.Refused = audit.Target{Kind: audit.User}, true
	s.Logger.InfoContext(r.Context(), "a passkey was refused", "error", errors.Unwrap(err))
	if err := s.Audit.Record(r.Context(), f); err != nil {
		return p, err
	}
	if err := s.drop(r.Context(), one); err != nil { // its challenge counts once
		return p, err
	}
	if err := json.Unmarshal([]byte(one.Flow), &flow); err != nil {
		return p, err
	}
	p.Wrong = true
	return s.offer(r, by, p, flow)
}

// drop ends a login.
func (s *service) drop(ctx context.Context, one *step) error {
	return s.Work.Do(ctx, func(ctx context.Context) error {
		_, err := s.rows.TakeStep(ctx, one.Hash)
		return err
	})
}

// offer begins a login with a passkey.
func (s *service) offer(r *http.Request, by kit.Actor, p passkeyData, flow signin.Flow) (passkeyData, error) {
	at, err := party(page.Origin(r), p.Realm)
	if err != nil {
		return p, err
	}
	options, state, err := at.BeginDiscoverableLogin(webauthn.WithUserVerification(protocol.VerificationRequired))
	if err != nil {
		return p, err
	}
	to, err := json.Marshal(flow)
	if err != nil {
		return p, err
	}
	secret, ends := session.NewSecret(), s.Clock.Now().Add(signin.FlowLife)
	one := &step{Hash: session.Hash(secret), RealmID: by.Realm, Flow: string(to), EndsAt: ends.Unix()}
	err = s.Work.Do(r.Context(), func(ctx context.Context) error { return s.rows.AddStep(ctx, one) })
	if err != nil {
		return p, err
	}
	p.Step = stepID(one.Hash)
	p.Finished = page.Begin(r, signin.Challenge{ID: p.Step, Secret: secret, Ends: ends})
	p.Options, err = s.remember(r.Context(), one, options, state)
	return p, err
}
