package cli_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestConfigFaults reports a certificate that has expired, with which the server can start.
func TestConfigFaults(t *testing.T) {
	t.Parallel()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	check := func(end time.Time) result {
		t.Helper()
		c := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: end}
		der, err := x509.CreateCertificate(rand.Reader, c, c, key.Public(), key)
		if err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		cert, file := filepath.Join(dir, "crt"), filepath.Join(dir, "stoa.yaml")
		text := "http: {url: https://chat.example.com}\nmodules:\n  standard: {}\n  saml: {providers: [{id: corp, " +
			"entity_id: e, sso_url: https://id.example.com, certificates: [" + cert + "]}]}\n"
		for name, text := range map[string]string{
			cert: string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})), file: text,
		} {
			if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		return stoa(t, "", "config", "check", "--config", file)
	}
	const fault = "modules.saml.providers.0.certificates: the certificate expired on 2001-02-03; "
	if r := check(time.Date(2001, 2, 3, 0, 0, 0, 0, time.UTC)); r.code != 2 || !strings.Contains(r.err, fault) {
		t.Errorf("%d: %s", r.code, r.err)
	}
	if r := check(time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC)); r.code != 0 {
		t.Errorf("%d: %s", r.code, r.err)
	}
}
