package apidocs

import (
	"bytes"
	"embed"
	"html/template"
	"strings"

	"github.com/stoachat/stoa/modules/kit"
)

// The guides are templates, which contain the address of the reader's server. They are English, like all that the
// description of the API says.
//
//go:embed guides/*.tmpl
var guideFiles embed.FS

var guideTemplates = template.Must(template.ParseFS(guideFiles, "guides/*.tmpl"))

// guide is a page about a task.
type guide struct {
	Name, Title, About string

	text string // for searches
}

var guides = readGuides(
	guide{Name: "bot", Title: "A bot in ten lines", About: "How to create a bot; in Python, JavaScript and Go."},
	guide{Name: "incoming", Title: "Incoming webhooks", About: "Messages from other services."},
	guide{Name: "outgoing", Title: "Outgoing webhooks", About: "A bot that answers when it is mentioned."},
	guide{Name: "events", Title: "Events and queues", About: "How clients follow what happens."},
	guide{Name: "permissions", Title: "Permissions", About: "Roles, user groups and settings that name them."},
	guide{Name: "module", Title: "A module of your own", About: "New routes and events, in Go or WebAssembly."},
)

func readGuides(all ...guide) []guide {
	for i, g := range all {
		b, err := guideFiles.ReadFile("guides/" + g.Name + ".tmpl")
		if err != nil {
			panic(err) // which any test would reveal
		}
		all[i].text = string(b)
	}
	return all
}

// guide shows a guide.
func (s *service) guide(v *view, name string) bool {
	under, of, ok := strings.Cut(name, "/")
	for _, g := range s.moduleGuides() {
		if ok && g.Under == under && g.Name == of {
			v.Kind, v.Title = "guide", g.Title
			v.Content = markdown(strings.ReplaceAll(g.Text, "{address}", v.Address))
			return true
		}
	}
	v.More = nil
	for _, g := range s.moduleGuides() {
		if g.Under == name {
			v.More = append(v.More, g)
		}
	}
	for _, g := range guides {
		if g.Name == name {
			v.Kind, v.Title = "guide", g.Title
			return v.text(name)
		}
	}
	return false
}

// moduleGuides returns the guides of modules.
func (s *service) moduleGuides() []kit.Guide {
	var all []kit.Guide
	for _, m := range s.Collected.Modules {
		all = append(all, m.Parts.Guides...)
	}
	return all
}

// start shows the first page.
func (v *view) start() bool {
	v.Kind, v.Title = "start", v.T("About this API")
	return v.text("start")
}

func (v *view) text(name string) bool {
	var b bytes.Buffer
	if err := guideTemplates.ExecuteTemplate(&b, name+".tmpl", v); err != nil {
		return false
	}
	v.Content = template.HTML(b.String()) // #nosec G203 -- made by a template of this module
	return true
}
