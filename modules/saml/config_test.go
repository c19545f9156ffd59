package saml_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/stoachat/stoa/modules/saml"
)

// TestConfig checks that errors of the configuration name the key.
func TestConfig(t *testing.T) {
	p := newIDP(t)
	other, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalECPrivateKey(other)
	if err != nil {
		t.Fatal(err)
	}
	cert := file(t, "crt", pemOf("CERTIFICATE", p.signer.cert.Raw))
	_, lines := own(t)
	settings := "sso_url: https://id.example.com, entity_id: e, "
	for lines, want := range map[string]string{
		"":                                     "metadata_url",
		"metadata_url: http://id.example.com/": "metadata_url",
		"metadata_url: https://a.example, metadata_file: b":             "metadata_url",
		"metadata_file: /nowhere":                                       "metadata_file",
		"metadata_file: " + cert:                                        "metadata_file",
		"sso_url: https://id.example.com, certificates: [" + cert + "]": "entity_id",
		settings:                              "certificates",
		settings + "certificates: [/nowhere]": "certificates.0",
		settings + "certificates: [" + file(t, "k", pemOf("EC PRIVATE KEY", der)) + "]":            "certificates.0",
		"metadata_url: https://a.example, sign_requests: true":                                     "key_file",
		"metadata_url: https://a.example, key_file: /nowhere":                                      "key_file",
		"metadata_url: https://a.example, key_file: " + cert:                                       "key_file",
		"metadata_url: https://a.example, key_file: " + file(t, "k", pemOf("EC PRIVATE KEY", der)): "key_file",
		"metadata_url: https://a.example, " + lines[0]:                                             "certificate_file",
		"metadata_url: https://a.example, certificate_file: " + cert + ", " + lines[0]:             "certificate_file",
		"metadata_url: https://a.example, ca_file: /nowhere":                                       "ca_file",
		"metadata_url: https://a.example, name_id_format: transient":                               "name_id_format",
		"metadata_url: https://a.example, roles_map: {a: boss}":                                    "roles_map.a",
		"metadata_url: https://a.example, clock_skew: 5m":                                          "clock_skew",
		"metadata_url: https://a.example, timeout: 1m":                                             "timeout",
		"metadata_url: https://a.example, binding: artifact":                                       "binding",
		"metadata_url: https://a.example, preset: other":                                           "preset",
	} {
		var c saml.Config
		if err := yaml.Unmarshal([]byte("{providers: [{id: corp, "+lines+"}]}"), &c); err != nil {
			t.Fatal(err)
		}
		if err := c.Validate(); err == nil || !strings.HasPrefix(err.Error(), "providers.0."+want+": ") {
			t.Errorf("%s: %v", lines, err)
		}
	}
}

// TestFaults checks that an expired certificate is reported, although the server starts.
func TestFaults(t *testing.T) {
	p := newIDP(t)
	old := certify(t, p.signer.key, time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC),
		time.Date(2001, 1, 1, 0, 0, 0, 0, time.UTC))
	cert := file(t, "crt", pemOf("CERTIFICATE", old.cert.Raw))
	s := startWith(t, "", p, "entity_id: \""+p.entityID()+"\"", "sso_url: \""+p.URL+"/sso\"", "trust_email: true",
		"certificates: ["+cert+"]")
	p.signer = old
	if a := newBrowser(s).login(p, ""); a.status != 400 {
		t.Errorf("a certificate that has expired: %v", a)
	}
}
