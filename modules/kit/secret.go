package kit

// Secret is a password or key in a Config. It is decoded like a string, and never printed: not by stoa config print,
// nor in a log or an error. Convert it to a string where it is used.
type Secret string

// masked replaces secrets in output.
const masked = "********"

// String implements fmt.Stringer.
func (s Secret) String() string {
	if s == "" {
		return ""
	}
	return masked
}

// GoString implements fmt.GoStringer.
func (s Secret) GoString() string { return `"` + s.String() + `"` }

// MarshalText masks the secret in JSON and in structured logs.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// MarshalYAML masks the secret in YAML.
func (s Secret) MarshalYAML() (any, error) { return s.String(), nil }
