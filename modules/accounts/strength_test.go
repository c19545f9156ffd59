package accounts_test

import (
	"crypto/sha1"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// The estimate that clients show agrees with what the server does when the password is set.
func TestPasswordStrength(t *testing.T) {
	const leaked = "seven staples, one battery"
	list := filepath.Join(t.TempDir(), "breached.txt")
	line := fmt.Sprintf("%X:3\n", sha1.Sum([]byte(leaked)))
	if err := os.WriteFile(list, []byte(line), 0o600); err != nil {
		t.Fatal(err)
	}
	s := start(t, "breach_list: "+list)
	n := 0
	for _, c := range []struct {
		password, refused, problem string
		least                      int64
	}{
		{"qwertz", "short", "The password must have at least 8 characters.", 0},
		{"abcdefgh12", "weak", weakPassword, 0},
		{"Newcomer2026", "weak", weakPassword, 0}, // the person's name
		{leaked, "breached", "This password is known from data breaches of other services. Choose another one.", 0},
		{"a horse and four staples", "", "", 3},
	} {
		n++
		person := []string{"email", fmt.Sprintf("eve%d@example.com", n), "full_name", fmt.Sprint("Eve Newcomer ", n),
			"password", c.password}
		answer := s.Anonymous().Do("POST /stoa/password/strength", person...).OK()
		if got := answer.String("refused"); got != c.refused || answer.Int("score") < c.least {
			t.Errorf("%s: refused %q, score %d", c.password, got, answer.Int("score"))
		}
		created := s.As("olga").Do("POST /users", person...)
		if c.problem == "" {
			created.OK()
		} else {
			created.Error(400, "BAD_REQUEST", c.problem)
		}
	}
}

const weakPassword = "The password is too easy to guess. Make it longer, or combine several unusual words."
