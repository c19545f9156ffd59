package apidocs

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/kit/openapi"
	"github.com/stoachat/stoa/ports"
)

// Module describes the API.
var Module = kit.Define("apidocs", "Describes the API in the form of OpenAPI.", Config{Readers: anyone}, wire)

// Config is the configuration of the module.
type Config struct {
	// who may read the description of the API and its pages: anyone, members (users who are logged in, except guests) or
	// off (nobody)
	Readers string `yaml:"api_docs"`
}

// Values of Config.Readers.
const (
	anyone  = "anyone"
	members = "members"
	off     = "off"
)

// Validate checks the configuration.
func (c Config) Validate() error {
	if !slices.Contains([]string{anyone, members, off}, c.Readers) {
		return fmt.Errorf("api_docs: want %s, %s or %s", anyone, members, off)
	}
	return nil
}

type needs struct {
	fx.In
	Collected *kit.Collected
	Directory ports.Directory
	Realms    ports.Realms
	Site      ports.Site
	Version   ports.Version
	Logger    *slog.Logger
	Sessions  ports.Sessions `optional:"true"`
}

type service struct {
	needs
	cfg   Config
	made  documents
	pages func() *pages // made for the first reader
}

func wire(cfg Config, n needs) (kit.Parts, error) {
	if cfg.Readers == off {
		return kit.Parts{}, nil
	}
	s := &service{needs: n, cfg: cfg}
	s.pages = sync.OnceValue(func() *pages {
		d := openapi.New(openapi.Source{Modules: n.Collected, Version: string(n.Version), URL: n.Site.URL()})
		return newPages(d, s.moduleGuides())
	})
	access := kit.Anyone
	if cfg.Readers == members {
		access = kit.Members
	}
	asJSON := kit.GET("/openapi.json", access, s.json, "Returns the description of this API, as JSON.")
	asYAML := kit.GET("/openapi.yaml", access, s.yaml, "Returns the description of this API, as YAML.")
	if access.Open() {
		asJSON, asYAML = asJSON.WithoutRealm(), asYAML.WithoutRealm()
	}
	return kit.Parts{
		Endpoints: []kit.Endpoint{
			asJSON.Operation("getOpenAPI"), asYAML.Operation("getOpenAPIAsYAML"),
			kit.Mount(root, kit.Anyone, s, "Pages that explain this API."),
		},
	}, nil
}

type request struct {
	Profile string `json:"profile" default:"" doc:"strings: for tools that cannot encode JSON in forms and queries."`
	Coding  string `header:"Accept-Encoding" doc:"gzip compresses the response."`
}

func (s *service) json(_ context.Context, _ kit.Actor, in request) (*kit.Download, error) {
	return s.document(in, asJSON)
}

func (s *service) yaml(_ context.Context, _ kit.Actor, in request) (*kit.Download, error) {
	return s.document(in, asYAML)
}

// document returns the document. Errors: BadRequest, with the status of NotFound, for an unknown profile.
func (s *service) document(in request, as encoding) (*kit.Download, error) {
	f, err := s.file(in.Profile, as)
	if err != nil {
		return nil, err
	}
	return f.download(kit.AcceptsCoding(in.Coding, "gzip"), s.cfg.Readers == anyone), nil
}

func unknownProfile(name string) error { return errs.Absent("There is no profile %.40q", name) }
