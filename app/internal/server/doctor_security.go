package server

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/stoachat/stoa/modules/kit"
)

func (s *Server) configurationDiagnoses() []kit.Diagnosis {
	return []kit.Diagnosis{{
		Name: "configuration", Doc: "The configuration is valid, and uses no former names.",
		Run: func(context.Context) ([]kit.Finding, error) { return s.examineConfiguration(), nil },
	}}
}

func (s *Server) examineConfiguration() []kit.Finding {
	all := findings(s.Config.Warnings, "rename the key", true)
	http := s.Config.Settings.HTTP
	if strings.HasPrefix(http.URL, "https://") && len(http.TrustedProxies) == 0 {
		all = append(all, kit.Finding{
			Text:  "http.url begins with https, but no proxy is trusted, so that all clients seem to have its address",
			Minor: true, Remedy: "list the addresses of the proxy that serves TLS in http.trusted_proxies",
		})
	}
	return all
}

func (s *Server) securityDiagnoses() []kit.Diagnosis {
	return []kit.Diagnosis{{
		Name: "permissions", Doc: "Other users of this machine cannot read the data folder, nor the secret.",
		Run: s.examinePermissions, Fix: s.restrict,
	}, {
		Name: "password", Doc: "The file with the owner's first password was deleted.", Run: s.examinePassword,
	}, {
		Name: "registration", Doc: "Where anyone may join, the server can confirm addresses by email.",
		Run: s.examineRegistration,
	}}
}

// private returns the paths that only the server's user may access, with their permissions.
func (s *Server) private() map[string]fs.FileMode {
	dir := s.Config.Settings.DataDir
	return map[string]fs.FileMode{dir: 0o700, filepath.Join(dir, "secret"): 0o600}
}

// exposed reports whether users other than the owner of a file or folder can access it. On Windows, modes do not say
// so.
func exposed(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().Perm()&0o077 != 0 && runtime.GOOS != "windows"
}

func (s *Server) examinePermissions(context.Context) ([]kit.Finding, error) {
	var all []kit.Finding
	for path := range s.private() {
		if exposed(path) {
			all = append(all, kit.Finding{Text: "other users can access " + path, Minor: true})
		}
	}
	return all, nil
}

func (s *Server) restrict(context.Context) error {
	var all []error
	for path, mode := range s.private() {
		if exposed(path) {
			all = append(all, os.Chmod(path, mode))
		}
	}
	return errors.Join(all...)
}

// passwordFor is how long the file with the first password may exist.
const passwordFor = 7 * 24 * time.Hour

func (s *Server) examinePassword(context.Context) ([]kit.Finding, error) {
	files, err := filepath.Glob(filepath.Join(quoteGlob(s.Config.Settings.DataDir), "owner-password*"))
	if err != nil {
		return nil, err
	}
	var all []kit.Finding
	for _, f := range files {
		if info, err := os.Stat(f); err == nil && s.options.Clock.Now().Sub(info.ModTime()) > passwordFor {
			all = append(all, kit.Finding{
				Text: "the file " + f + " still exists", Minor: true, Remedy: "change the password, and delete the file",
			})
		}
	}
	return all, nil
}

func (s *Server) examineRegistration(ctx context.Context) ([]kit.Finding, error) {
	if s.Ports.Mailer != nil && s.Ports.Mailer.Delivers() {
		return nil, nil
	}
	realms, err := s.Ports.Realms.Active(ctx)
	if err != nil {
		return nil, err
	}
	var all []kit.Finding
	for _, r := range realms {
		v, err := s.kernel.View(ctx, r)
		if err != nil {
			continue // see the check server.views
		}
		if !v.Realm().Settings.InviteRequired {
			all = append(all, kit.Finding{
				Text:  fmt.Sprintf("anyone can join organization %d with any address, since no email is sent", r),
				Minor: true, Remedy: "configure adapters.mail, or require an invitation in the organization's settings",
			})
		}
	}
	return all, nil
}
