package zulip

import (
	"fmt"
	"strings"
	"testing"
)

func TestRows(t *testing.T) {
	for _, c := range []struct{ text, want, err string }{
		{`{}`, "", ""},
		{`{"a":[1,{"b":[]}],"c":{"d":[1]},"e":"f","g":[null]}`, `a 0 1|a 1 {"b":[]}|g 0 null|`, ""},
		{``, "", "EOF"},
		{`[]`, "", "not an object"},
		{`{"a":[1,`, "a 0 1|", "EOF"},
		{`{"a":[1] "b":[2]}`, "a 0 1|", "invalid character"},
		{`{"a":[1,NaN]}`, "a 0 1|", "invalid character"},
		{`{"a":[1]`, "a 0 1|", "EOF"},
		{`{"a":{"b":`, "", "EOF"},
		{`{"a":["` + strings.Repeat("x", 30<<20) + `"]}`, "", "too large"},
		{`{"a":` + strings.Repeat("[", 20_000), "", "depth"},
	} {
		got := ""
		err := rows(strings.NewReader(c.text), func(table string, n int, row []byte) error {
			got += fmt.Sprintf("%s %d %s|", table, n, row)
			return nil
		})
		if got != c.want || (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%.60s: got %q, %v; want %q, %q", c.text, got, err, c.want, c.err)
		}
	}
}
