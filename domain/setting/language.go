package setting

import "github.com/stoachat/stoa/domain/errs"

// languages maps the codes of selectable languages to their names.
var languages = map[string]string{
	"ar": "العربيّة", "be": "Беларуская", "bg": "Български", "bqi": "Bakhtiari", "ca": "Català", "cs": "Česky",
	"cy": "Cymraeg", "da": "Dansk", "de": "Deutsch",
	"el": "Ελληνικά", "en": "English", "en-gb": "British English", "es": "Español", "eu": "Euskara", "fa": "فارسی",
	"fi": "Suomi",
	"fr": "Français", "gl": "Galego", "gu": "ગુજરાતી", "hi": "हिन्दी", "hu": "Magyar", "id": "Bahasa Indonesia",
	"it": "Italiano",
	"ja": "日本語", "ko": "한국어", "lt": "Lietuvių", "lv": "Latviešu", "ml": "മലയാളം", "mn": "Монгол", "nl": "Nederlands",
	"no": "Norsk", "pl": "Polski", "pt": "Português", "pt-br": "Português Brasileiro", "pt-pt": "Português de Portugal",
	"ro": "Română",
	"ru": "Русский", "si": "සිංහල", "sr": "Српски", "sv": "Svenska", "ta": "தமிழ்", "tl": "Tagalog", "tr": "Türkçe",
	"uk": "Українська",
	"uz": "Oʻzbek", "vi": "Tiếng Việt", "zh-hans": "简体中文", "zh-hant": "繁體中文",
}

// LanguageName returns the native name of a language, or "" if it can't be selected.
func LanguageName(code string) string { return languages[code] }

// Language accepts codes of selectable languages. Errors: BadRequest.
func Language(_ string, v any) error {
	if s, ok := v.(string); !ok || languages[s] == "" {
		return errs.Bad("Invalid language '%.60v'", v)
	}
	return nil
}
