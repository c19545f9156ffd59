package kit

import (
	"errors"
	"io"
	"os"
	"strings"
)

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

// maxSecret is the maximum size of a file with a secret in bytes.
const maxSecret = 16 << 10

// OrFile returns the secret in plain text: the content of a file without line ends at its end, or, if file is "", s.
func (s Secret) OrFile(file string) (string, error) {
	if file == "" {
		return string(s), nil
	}
	f, err := os.Open(file) //nolint:gosec // named in the configuration
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }()
	text, err := io.ReadAll(io.LimitReader(f, maxSecret+1))
	switch {
	case err != nil:
		return "", err
	case len(text) > maxSecret:
		return "", errors.New("the file is too large; is it the right one?")
	}
	return strings.TrimRight(string(text), "\r\n"), nil
}
