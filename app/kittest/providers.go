package kittest

import (
	_ "embed" // providers.txt
	"regexp"
	"slices"
	"strings"
)

// providers lists ports and the folders of the modules and adapters of Stoa that provide them. A test in
// modules/standard writes the file: kittest cannot import modules, since their tests import kittest.
//
//go:embed providers.txt
var providers string

// provider returns the folder of the module or adapter that provides a port such as "ports.Images", or "" if there is
// none.
func provider(port string) string {
	for line := range strings.Lines(providers) {
		if of, folder, _ := strings.Cut(strings.TrimSpace(line), " "); of == port {
			return folder
		}
	}
	return ""
}

var missingPort = regexp.MustCompile(`needs (ports\.\w+), which no module in this program provides`)

// advice names the modules to pass to Start or Check to provide the ports mentioned in an error, or returns "" if there
// are none.
func advice(err error) string {
	if err == nil {
		return ""
	}
	var modules []string
	for _, found := range missingPort.FindAllStringSubmatch(err.Error(), -1) {
		if m := provider(found[1]); m != "" && !slices.Contains(modules, m) {
			modules = append(modules, m)
		}
	}
	if len(modules) == 0 {
		return ""
	}
	slices.Sort(modules)
	return "\npass the Module of these packages as well: " + strings.Join(modules, ", ")
}
