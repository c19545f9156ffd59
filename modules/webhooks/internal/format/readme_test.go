package format

import (
	"cmp"
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestReadme checks the list of services in the module's README, which -update writes.
func TestReadme(t *testing.T) {
	const name, mark = "../../README.md", "-update`. -->\n"
	have, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	intro, list, _ := strings.Cut(string(have), mark)
	want := readme(t)
	if *update {
		if err := os.WriteFile(name, []byte(intro+mark+want), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if list != want {
		t.Error("README.md differs from the integrations; run with -update")
	}
}

func readme(t *testing.T) string {
	t.Helper()
	all, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	var b, setup strings.Builder
	b.WriteString("\n| service | name | options | signed |\n|---|---|---|---|\n")
	for _, one := range all {
		var options []string
		for _, o := range one.Options {
			options = append(options, "`"+o.Key+"`")
		}
		signed := ""
		if one.Verify != nil {
			signed = "yes"
		}
		service := one.Display
		if one.Setup != "" {
			anchor := strings.ToLower(strings.NewReplacer(" ", "-", ".", "").Replace(one.Display))
			service = fmt.Sprintf("[%s](#%s)", one.Display, anchor)
			fmt.Fprintf(&setup, "\n### %s\n\n%s\n", one.Display, one.Setup)
		}
		fmt.Fprintf(&b, "| %s | `%s` | %s | %s |\n",
			service, one.Name, cmp.Or(strings.Join(options, ", "), "–"), cmp.Or(signed, "–"))
	}
	return b.String() + setup.String()
}
