package secondfactor_test

import (
	"encoding/base32"
	"strings"
	"testing"
	"time"

	"github.com/stoachat/stoa/domain/secondfactor"
)

// TestCode checks the last six digits of the test vectors of RFC 6238, appendix B.
func TestCode(t *testing.T) {
	secret := base32.StdEncoding.EncodeToString([]byte("12345678901234567890"))
	for at, want := range map[int64]string{
		59: "287082", 1111111109: "081804", 1111111111: "050471", 1234567890: "005924", 2000000000: "279037",
	} {
		if got, err := secondfactor.Code(secret, secondfactor.Step(time.Unix(at, 0))); got != want || err != nil {
			t.Errorf("%d: %s %v, want %s", at, got, err, want)
		}
	}
}

func TestVerify(t *testing.T) {
	secret, now := secondfactor.NewSecret(), time.Unix(1_800_000_000, 0)
	at := secondfactor.Step(now)
	for off, want := range map[int64]bool{-2: false, -1: true, 0: true, 1: true, 2: false} {
		code, err := secondfactor.Code(secret, at+off)
		if err != nil {
			t.Fatal(err)
		}
		if step, ok := secondfactor.Verify(secret, code[:3]+" "+code[3:], now, 0); ok != want || ok && step != at+off {
			t.Errorf("a clock that is off by %d steps: %d %v", off, step, ok)
		}
		if _, ok := secondfactor.Verify(secret, code, now, at+off); ok {
			t.Errorf("the code of step %d is accepted twice", off)
		}
	}
	for _, code := range []string{"", "12345", "1234567", strings.Repeat("1", 1000), "１２３４５６"} {
		if _, ok := secondfactor.Verify(secret, code, now, 0); ok {
			t.Errorf("%q is accepted", code)
		}
	}
	if _, err := secondfactor.Code("", at); err == nil {
		t.Error("an empty secret has codes")
	}
}

func TestRecoveryCodes(t *testing.T) {
	hashes := map[string]bool{}
	for _, code := range secondfactor.NewRecoveryCodes() {
		hash, ok := secondfactor.HashRecoveryCode(" " + strings.ToUpper(strings.ReplaceAll(code, "-", " ")))
		same, _ := secondfactor.HashRecoveryCode(code)
		if !ok || hash != same || len(code) != 19 {
			t.Errorf("%s: %s %v", code, hash, ok)
		}
		hashes[hash] = true
	}
	if len(hashes) != secondfactor.RecoveryCodes {
		t.Errorf("%d codes", len(hashes))
	}
	for _, code := range []string{"", "123456", "abcd-efgh-ijkl-mno1", "abcd-efgh-ijkl-mnop-qrst"} {
		if _, ok := secondfactor.HashRecoveryCode(code); ok {
			t.Errorf("%q could be a code", code)
		}
	}
}

func TestURI(t *testing.T) {
	const want = "otpauth://totp/Acme%20Inc:ada@example.com?issuer=Acme%20Inc&secret=ABC"
	if got := secondfactor.URI("ABC", "Acme: Inc", "ada@example.com"); got != want {
		t.Error(got)
	}
}
