package cli_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	portsSentence = regexp.MustCompile(`Ports: [^.]*`)
	inParentheses = regexp.MustCompile(`\([^)]*\)`)
	portName      = regexp.MustCompile(`\b[A-Z][A-Za-z]+\b`)
	tableName     = regexp.MustCompile(`\b[a-z]+(_[a-z]+)+\b`)
	tableSentence = regexp.MustCompile(`(?s)Tables?: .*?(\. |\.\n|\z)`)
)

// TestModuleDocumentation compares what the doc.go of each standard module says of its ports and tables with the map of
// the modules: it must name each table and each port that the module provides, and no others.
func TestModuleDocumentation(t *testing.T) {
	all := stoa(t, "", "modules", "--map").ok(t).out
	m := sections(all)
	ports, tables := m["Ports"], m["Tables"]
	addUnused(t, ports)
	if len(ports) < 20 || len(tables) < 50 {
		t.Fatalf("the map has %d ports and %d tables", len(ports), len(tables))
	}
	files, err := filepath.Glob("../../../modules/*/doc.go")
	if err != nil || len(files) < 40 {
		t.Fatal(len(files), err)
	}
	for _, file := range files {
		module := filepath.Base(filepath.Dir(file))
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !regexp.MustCompile(`(?m) ` + module + `(:|,|$)`).MatchString(all) {
			continue // not enabled by default
		}
		for _, fault := range documentationFaults(module, string(source), ports, tables) {
			t.Errorf("modules/%s/doc.go %s", module, fault)
		}
	}
}

// TestDocumentationFaults contains a case in which each check of TestModuleDocumentation fails.
func TestDocumentationFaults(t *testing.T) {
	ports := connected{"ports.Senders": {"provided by post"}, "ports.Clock": {"used by post"}}
	tables := connected{"post_boxes": {"post"}, "letters": {"post"}}
	for text, want := range map[string]string{
		"Ports: provides Senders and uses Clock. Tables: letters, post_boxes (red).": "",
		"Ports: uses Clock. Tables: letters, post_boxes.":                            "omits the port Senders",
		"Ports: provides Senders, Stamps. Tables: letters, post_boxes.":              "invents the port Stamps",
		"Ports: provides Senders. Tables: letters.":                                  "omits the table post_boxes",
		"Ports: provides Senders. Tables: letters, post_boxes, old_letters.":         "invents the table old_letters",
	} {
		if got := strings.Join(documentationFaults("post", "// "+text+"\npackage post", ports, tables), "; "); got != want {
			t.Errorf("%s: %q", text, got)
		}
	}
}

// documentationFaults returns the differences between a module's documentation and its ports and tables.
func documentationFaults(module, source string, ports, tables connected) (faults []string) {
	doc, _, _ := strings.Cut(source, "\npackage ")
	text := strings.ReplaceAll(strings.ReplaceAll(doc, "\n// ", " "), "\n//", "\n")
	has := func(word string) bool { return regexp.MustCompile(`\b` + word + `\b`).MatchString(text) }

	known := map[string]bool{}
	for port, roles := range ports {
		name := port[strings.LastIndex(port, ".")+1:]
		known[name] = true
		if slices.Contains(roles, "provided by "+module) && !has(name) {
			faults = append(faults, "omits the port "+name)
		}
	}
	for _, sentence := range portsSentence.FindAllString(text, -1) {
		for _, name := range portName.FindAllString(inParentheses.ReplaceAllString(sentence, ""), -1)[1:] {
			if !known[name] {
				faults = append(faults, "invents the port "+name)
			}
		}
	}
	for table, owners := range tables {
		if slices.Contains(owners, module) && !has(table) {
			faults = append(faults, "omits the table "+table)
		}
	}
	for _, sentence := range tableSentence.FindAllString(text, -1) {
		for _, name := range tableName.FindAllString(inParentheses.ReplaceAllString(sentence, ""), -1) {
			if !slices.Contains(tables[name], module) {
				faults = append(faults, "invents the table "+name)
			}
		}
	}
	slices.Sort(faults)
	return faults
}

// addUnused adds the ports that only modules use which are not enabled by default.
func addUnused(t *testing.T, ports connected) {
	files, err := filepath.Glob("../../../ports/*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range regexp.MustCompile(`(?m)^\t?(?:type )?([A-Z]\w+) interface \{`).FindAllSubmatch(source, -1) {
			if name := "ports." + string(found[1]); ports[name] == nil {
				ports[name] = []string{}
			}
		}
	}
}

// connected is a section of the map: lines by the name of what they are about.
type connected map[string][]string

// sections parses the map. The first word of a section's title is its name.
func sections(text string) map[string]connected {
	all := map[string]connected{}
	var section connected
	var name string
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case line == "":
		case strings.HasPrefix(line, "    "):
			section[name] = append(section[name], strings.TrimSpace(line))
		case strings.Contains(line, " "):
			section = connected{}
			title, _, _ := strings.Cut(line, " ")
			all[strings.TrimSuffix(title, ",")] = section
		default:
			name = line
		}
	}
	return all
}
