package language_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stoachat/stoa/domain/language"
)

func TestAccepted(t *testing.T) {
	for header, want := range map[string]string{
		"":                                   "",
		"de":                                 "de",
		"de-AT, de;q=0.9, en;q=0.8, *;q=0.1": "de-AT de en",
		"en;q=0.1,fr;q=0.9":                  "fr en",
		"fr;q=0, en;q=x, de; q=1":            "de",
		" , ;q=1,es":                         "es",
		strings.Repeat("de,", 1000):          strings.TrimSpace(strings.Repeat("de ", 20)),
	} {
		if got := strings.Join(language.Accepted(header), " "); got != want {
			t.Errorf("%.40q gives %q, want %q", header, got, want)
		}
	}
}

func TestChoose(t *testing.T) {
	for tags, want := range map[string]string{
		"": "en", "tlh": "en", "tlh fr-CA de": "fr", "DE": "de", "zh": "zh-hans", "zh-CN": "zh-hans", "zh-hans-sg": "zh-hans",
		"zh-TW ja": "ja", "en-GB de": "en", "ar-EG": "ar",
	} {
		if got := language.Choose(strings.Split(tags, " ")...).Code; got != want {
			t.Errorf("%q gives %s, want %s", tags, got, want)
		}
	}
}

func TestCount(t *testing.T) {
	for code, want := range map[string]string{
		"en": "0 messages, 1 message, 2 messages, 5 messages, 11 messages, 100 messages",
		"fr": "0 message, 1 message, 2 messages, 5 messages, 11 messages, 100 messages",
		"ar": "0 رسالة, رسالة, رسالتان, 5 رسائل, 11 رسالة, 100 رسالة",
	} {
		var got []string
		for _, n := range []int{0, 1, 2, 5, 11, 100} {
			got = append(got, language.Choose(code).Count(n, "# message", "# messages"))
		}
		if !slices.Equal(got, strings.Split(want, ", ")) {
			t.Errorf("%s: %q", code, got)
		}
	}
}

func TestDate(t *testing.T) {
	day := time.Date(2026, 5, 9, 8, 3, 0, 0, time.UTC)
	for code, want := range map[string]string{
		"en": "9 May 2026, 08:03 UTC", "de": "9. Mai 2026, 08:03 UTC", "es": "9 de mayo de 2026, 08:03 UTC",
		"ja": "2026年5月9日 08:03 UTC",
	} {
		if got := language.Choose(code).Date(day); got != want {
			t.Errorf("%s: %q, want %q", code, got, want)
		}
	}
}
