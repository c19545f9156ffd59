package ldap_test

import (
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/stoachat/stoa/modules/ldap"
)

// TestConfig names the key of each mistake, and what to do.
func TestConfig(t *testing.T) {
	const right = "id: corp, url: ldaps://ldap.example.com, bind_dn: cn=stoa, bind_password: x, base_dn: dc=example"
	for change, want := range map[string]string{
		"":                              "",
		"id: Corp":                      "directories.0.id: want a name",
		"url: ldap://ldap.example.com":  "directories.0.url: want ldaps://, or start_tls: true",
		"url: https://ldap.example.com": "directories.0.url: want a URL such as ldaps://",
		"start_tls: true":               "directories.0.start_tls: ldaps:// is encrypted already",
		"ca_file: /nowhere":             "directories.0.ca_file: open /nowhere",
		"bind_password: ''":             "directories.0.bind_password: is missing",
		"bind_password_file: /nowhere":  "directories.0.bind_password_file: bind_password is set as well",
		"bind_dn: ''":                   "directories.0.bind_dn: is missing",
		"base_dn: example.com":          "directories.0.base_dn: want a DN",
		"user_filter: '(uid=ada)'":      "directories.0.user_filter: want a filter of RFC 4515 with %s",
		"user_filter: '(uid=%s'":        "directories.0.user_filter: want a filter",
		"user_dn: 'uid=ada'":            "directories.0.user_dn: want %s once",
		"id_attribute: mail":            "directories.0.id_attribute: want an attribute that never changes",
		"nested_groups: true":           "directories.0.nested_groups: needs group_filter",
		"roles_map: {Staff: king}":      "directories.0.roles_map.Staff: want owner",
		"preset: novell":                "directories.0.preset: want openldap",
		"url: ldap://ldap.example.com, min_version: '1.0', insecure: true": "directories.0.min_version: want",
	} {
		keys := map[string]any{}
		for _, text := range []string{right, change} {
			if err := yaml.Unmarshal([]byte("{"+text+"}"), &keys); err != nil {
				t.Fatal(err)
			}
		}
		text, err := yaml.Marshal(map[string]any{"directories": []any{keys}})
		if err != nil {
			t.Fatal(err)
		}
		var c ldap.Config
		if err := yaml.Unmarshal(text, &c); err != nil {
			t.Fatal(err)
		}
		switch err := c.Validate(); {
		case want == "" && err != nil, want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%s: %v", change, err)
		}
	}
}
