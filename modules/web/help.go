package web

import (
	_ "embed" // help.html
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"
	"strings"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/language"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/kit/page"
)

// helpPath is the path of the page for people who look for help.
const helpPath = "/help"

//go:embed help.html
var helpText string

var helpTemplate = template.Must(template.New("help").Parse(helpText))

// guide is the client's guide in a language.
type guide struct {
	Tasks []struct {
		To    string `json:"to"` // the ID of a paragraph
		Title string `json:"title"`
	} `json:"tasks"`
	Areas []struct {
		Name       string `json:"name"`
		Title      string `json:"title"`
		Paragraphs []struct {
			Key  string `json:"key"`
			Text string `json:"text"`
		} `json:"paragraphs"`
	} `json:"areas"`
}

// readHelp reads the guide, by language, which the build of the client writes. It returns nil if there is none.
func readHelp(all fs.FS) (map[string]guide, error) {
	text, err := fs.ReadFile(all, "dist/help.json")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var guides map[string]guide
	if err := json.Unmarshal(text, &guides); err != nil {
		return nil, fmt.Errorf("help.json: %w", err)
	}
	return guides, nil
}

// helpPage is the data of the page.
type helpPage struct {
	page.Preference

	guides map[string]guide
}

// Guide returns the guide in the language with a tag.
func (p helpPage) Guide(tag string) guide {
	if g, ok := p.guides[tag]; ok {
		return g
	}
	return p.guides["en"]
}

// Languages returns the languages to choose from.
func (helpPage) Languages() []*language.Language { return language.All() }

// help returns the route of the page.
func (s *service) help(guides map[string]guide) kit.Endpoint {
	return kit.Mount(helpPath, kit.Anyone, page.Handler("help", helpTemplate, s.Logger,
		func(r *http.Request) (helpPage, error) {
			p := helpPage{Preference: page.Preference{Own: r.URL.Query().Get("lang")}, guides: guides}
			if strings.TrimSuffix(r.URL.Path, "/") != helpPath || guides == nil {
				return p, errs.New(errs.NotFound, "This page does not exist, or you don't have access to it.")
			}
			return p, nil
		}), "How to do what people want to do with the web client.")
}
