package page

import (
	_ "embed"
	"html/template"
)

//go:embed apps.html
var apps string

// Template parses the template of a page. It panics if text is invalid. {{template "apps" .}} explains how to use an
// app; .Page.Address is the address to enter there.
func Template(name, text string) *template.Template {
	return template.Must(template.Must(template.New(name).Parse(apps)).New(name).Parse(text))
}
