package emoji_test

import (
	"testing"

	"github.com/stoachat/stoa/adapters/emoji"
)

func TestNames(t *testing.T) {
	e := emoji.New()
	for name, want := range map[string]string{
		"thumbs_up": "1f44d", "+1": "1f44d", "smile": "1f642", "big_smile": "1f604", "heart": "2764", "tada": "1f389", "octopus": "1f419",
		"working_on_it": "1f6e0", "slightly_smiling_face": "1f642", "flag_united_states": "1f1fa-1f1f8", "100": "1f4af",
		"family_man_woman_girl_boy": "1f468-200d-1f469-200d-1f467-200d-1f466",
		"":                          "", "Smile": "", "thumbs_up_light_skin_tone": "", "octocat": "", "no such thing": "",
	} {
		if code, ok := e.Code(name); code != want || ok != (want != "") {
			t.Errorf("Code(%q) = %q, %v; want %q", name, code, ok, want)
		}
	}
	for code, want := range map[string]string{
		"1f44d": "thumbs_up", "1f642": "smile", "1f419": "octopus", "1f1fa-1f1f8": "flag_united_states", "1F44D": "", "fffd": "", "": "", "1f44d-1f3fb": "",
	} {
		if name, ok := e.Name(code); name != want || ok != (want != "") {
			t.Errorf("Name(%q) = %q, %v; want %q", code, name, ok, want)
		}
	}
}

// Whoever is shown a name may react with it.
func TestCanonicalNamesLeadBack(t *testing.T) {
	e := emoji.New()
	for _, name := range []string{"smile", "+1", "rocket", "flag_germany", "red_heart", "check", "sparkles", "cat_face", "cat"} {
		code, ok := e.Code(name)
		if !ok {
			t.Errorf("%s is unknown", name)
			continue
		}
		canonical, _ := e.Name(code)
		if back, _ := e.Code(canonical); back != code {
			t.Errorf("%s is %s, called %s, which is %s", name, code, canonical, back)
		}
	}
}
