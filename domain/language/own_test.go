package language_test

import (
	"testing"
	"testing/fstest"

	"github.com/stoachat/stoa/domain/language"
)

func TestOwnTexts(t *testing.T) {
	files := func(name, text string) fstest.MapFS { return fstest.MapFS{name: {Data: []byte(text)}} }
	own, err := language.Read(files("de.json", `{"Cake": "Kuchen", "# cake|# cakes": "# Kuchen|# Kuchen", "Log in": "Hinein"}`))
	if err != nil {
		t.Fatal(err)
	}
	german, french := own.In(language.Choose("de")), own.In(language.Choose("fr"))
	for got, want := range map[string]string{
		german.T("Cake"):                          "Kuchen",
		german.Count(3, "# cake", "# cakes"):      "3 Kuchen",
		german.T("Log in"):                        "Hinein",
		german.T("January"):                       "Januar",
		german.T("Pie"):                           "Pie",
		french.T("Cake"):                          "Cake",
		language.Choose("de").T("Cake") + " (de)": "Cake (de)",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	for name, text := range map[string]string{"tlh.json": "{}", "DE.json": "{}", "de.json": "[]"} {
		if _, err := language.Read(files(name, text)); err == nil {
			t.Errorf("%s with %s is read", name, text)
		}
	}
}
