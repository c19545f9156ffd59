package profilefield

import (
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/plainjson"
)

// Limits on a field's data. Lengths are in characters.
const (
	maxChoices   = 500
	maxChoice    = 200
	maxChoiceKey = 50
	maxPattern   = 1000
)

// Data configures fields of certain types: the options of a list, or the service of an external account.
type Data struct {
	Choices map[string]Choice // by stored value; type Select
	Account *Account          // type External
}

// Choice is an option of a list.
type Choice struct {
	Text  string `json:"text"`
	Order string `json:"order"`
}

// Account configures an external account: a preset service or a URL pattern.
type Account struct {
	Subtype    string `json:"subtype"`
	URLPattern string `json:"url_pattern,omitempty"`
}

// custom is the subtype of accounts with a URL pattern.
const custom = "custom"

// username is the pattern's placeholder for a user's account name.
const username = "%(username)s"

// Preset is a predefined service.
type Preset struct {
	Text       string `json:"text"`
	Name       string `json:"name"` // of the field
	Hint       string `json:"hint"` // of the field
	URLPattern string `json:"url_pattern"`
}

// Presets returns the predefined services by subtype.
func Presets() map[string]Preset {
	return map[string]Preset{
		"github":  {"GitHub", "GitHub username", "", "https://github.com/" + username},
		"twitter": {"Twitter", "Twitter username", "", "https://twitter.com/" + username},
	}
}

// String returns the data as JSON, or "" if there is none.
func (d Data) String() string {
	switch {
	case d.Choices != nil:
		return encodeJSON(d.Choices)
	case d.Account != nil:
		return encodeJSON(d.Account)
	}
	return ""
}

func encodeJSON(v any) string {
	b, _ := plainjson.Marshal(v) // strings always encode
	return string(b)
}

// Equal reports whether d and o are equal.
func (d Data) Equal(o Data) bool { return d.String() == o.String() }

func (d Data) preset() (Preset, bool) {
	if d.Account == nil {
		return Preset{}, false
	}
	p, ok := Presets()[d.Account.Subtype]
	return p, ok
}

// Preset reports whether the field uses a predefined service, which fixes its name, hint and data.
func (f *Field) Preset() bool { _, ok := f.Data.preset(); return ok }

// ReadData parses the data of a field of the given type from JSON; it is empty for types without data. Errors:
// BadRequest.
func ReadData(t Type, text string) (Data, error) {
	switch t {
	case Select:
		return readChoices(text)
	case External:
		return readAccount(text)
	}
	return Data{}, nil
}

func readChoices(text string) (Data, error) {
	var raw map[string]map[string]string
	if err := json.Unmarshal([]byte(text), &raw); err != nil {
		return Data{}, errs.Bad("field_data is not a dict of choices, each with a text and an order")
	}
	switch {
	case len(raw) == 0:
		return Data{}, errs.Bad("Field must have at least one choice.")
	case len(raw) > maxChoices:
		return Data{}, errs.Bad("Field has too many choices (limit: %d).", maxChoices)
	}
	d, texts := Data{Choices: make(map[string]Choice, len(raw))}, map[string]bool{}
	for _, key := range slices.Sorted(maps.Keys(raw)) {
		c := Choice{strings.TrimSpace(raw[key]["text"]), strings.TrimSpace(raw[key]["order"])}
		if err := checkChoice(key, c); err != nil {
			return Data{}, err
		}
		if texts[c.Text] {
			return Data{}, errs.Bad("Field must not have duplicate choices.")
		}
		texts[c.Text], d.Choices[key] = true, c
	}
	return d, nil
}

func checkChoice(key string, c Choice) error {
	switch "" {
	case strings.TrimSpace(key):
		return errs.Bad("'value' cannot be blank.")
	case c.Text:
		return errs.Bad("'text' cannot be blank.")
	case c.Order:
		return errs.Bad("'order' cannot be blank.")
	}
	if err := checkLine("value", key, maxChoiceKey); err != nil {
		return err
	}
	if err := checkLine("text", c.Text, maxChoice); err != nil {
		return err
	}
	return checkLine("order", c.Order, maxChoiceKey)
}

func readAccount(text string) (Data, error) {
	var a Account
	if err := json.Unmarshal([]byte(text), &a); err != nil {
		return Data{}, errs.Bad("field_data is not a dict with a subtype")
	}
	if _, known := Presets()[a.Subtype]; known {
		return Data{Account: &Account{Subtype: a.Subtype}}, nil
	}
	switch {
	case a.Subtype == "":
		return Data{}, errs.Bad("subtype key is missing from field_data")
	case a.Subtype != custom:
		return Data{}, errs.Bad("Invalid external account type")
	case a.URLPattern == "":
		return Data{}, errs.Bad("Custom external account must define URL pattern")
	case strings.Count(a.URLPattern, username) != 1:
		return Data{}, errs.Bad("URL pattern must contain '%s' exactly once", username)
	}
	if err := checkLine("url_pattern", a.URLPattern, maxPattern); err != nil {
		return Data{}, err
	}
	if !isLink(strings.Replace(a.URLPattern, username, "username", 1)) {
		return Data{}, errs.Bad("Malformed URL pattern.")
	}
	return Data{Account: &a}, nil
}

// isLink reports whether s is a web URL.
func isLink(s string) bool {
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != "" &&
		!strings.ContainsAny(s, " \t\r\n")
}
