package web

import (
	"encoding/json"
	"net/http"

	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/modules/kit/page"
)

// manifestName is the file name of the web app manifest, from which browsers install the client as an app.
const manifestName = "manifest.webmanifest"

// touchIconName is the file name of the icon that iOS shows on the home screen.
const touchIconName = "apple-touch-icon.png"

type manifest struct {
	ID          string         `json:"id"`
	Name        string         `json:"name"`
	ShortName   string         `json:"short_name"`
	StartURL    string         `json:"start_url"`
	Scope       string         `json:"scope"`
	Display     string         `json:"display"`
	Background  string         `json:"background_color"`
	Theme       string         `json:"theme_color"`
	Icons       []manifestIcon `json:"icons"`
	ShareTarget shareTarget    `json:"share_target"`
}

type manifestIcon struct {
	Source  string `json:"src"`
	Sizes   string `json:"sizes"`
	Type    string `json:"type,omitempty"`
	Purpose string `json:"purpose,omitempty"`
}

// shareTarget lets other apps share texts, links and files with the client. The service worker intercepts the requests
// before they reach the server, and the client sends nothing without the user's confirmation.
type shareTarget struct {
	Action  string      `json:"action"`
	Method  string      `json:"method"`
	Enctype string      `json:"enctype"`
	Params  shareParams `json:"params"`
}

// shareParams holds the names of the form fields of shared content.
type shareParams struct {
	Title string       `json:"title"`
	Text  string       `json:"text"`
	URL   string       `json:"url"`
	Files []shareFiles `json:"files"`
}

type shareFiles struct {
	Name   string   `json:"name"`
	Accept []string `json:"accept"` // media types
}

// manifest serves the manifest of the organization at the request's host. It reveals nothing that GET /server_settings
// does not reveal.
func (s *service) manifest(w http.ResponseWriter, r *http.Request) {
	m := manifest{
		ID: "/", Name: "Stoa", ShortName: "Stoa", StartURL: "/", Scope: "/", Display: "standalone",
		Background: "#f5f6f8", Theme: "#f5f6f8",
		Icons: []manifestIcon{
			{Source: "/static/stoa/icon.svg", Sizes: "any"},
			{Source: prefix + "/icon-192.png", Sizes: "192x192", Type: "image/png"},
			{Source: prefix + "/icon-512.png", Sizes: "512x512", Type: "image/png"},
			{Source: prefix + "/icon-maskable-512.png", Sizes: "512x512", Type: "image/png", Purpose: "maskable"},
		},
		ShareTarget: shareTarget{
			Action: "/share", Method: http.MethodPost, Enctype: "multipart/form-data",
			Params: shareParams{
				Title: "share_title", Text: "share_text", URL: "share_url",
				Files: []shareFiles{{Name: "share_files", Accept: []string{"*/*"}}},
			},
		},
	}
	if at := s.realm(r); at != nil {
		m.Name, m.ShortName = at.Settings.Name, at.Settings.Name
		if at.Emblems[realm.Icon].Address != "" {
			m.Icons = []manifestIcon{{Source: at.EmblemURL(realm.Icon), Sizes: "512x512"}}
		}
	}
	text, err := json.Marshal(m)
	if err != nil {
		http.Error(w, "Internal server error", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/manifest+json")
	w.Header().Set("Cache-Control", "public, max-age=3600")
	w.Header().Set("Content-Security-Policy", "default-src 'none'; sandbox")
	_, _ = w.Write(text) // the client may have disconnected
}

// realm returns the active organization at the request's host, or nil.
func (s *service) realm(r *http.Request) *realm.Realm {
	id, err := s.Realms.Resolve(r.Context(), page.Host(r))
	if err != nil || id == 0 {
		return nil
	}
	v, err := s.Directory.View(r.Context(), id)
	if err != nil || v.Realm() == nil || v.Realm().Deactivated {
		return nil
	}
	return v.Realm()
}
