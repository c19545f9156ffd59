package ldap_test

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/app/kittest/testrun"
)

const slapdConfig = `
include /etc/ldap/schema/core.schema
include /etc/ldap/schema/cosine.schema
include /etc/ldap/schema/nis.schema
include /etc/ldap/schema/inetorgperson.schema
modulepath /usr/lib/ldap
moduleload back_mdb
moduleload memberof
pidfile %[1]s/pid
TLSCACertificateFile %[2]s
TLSCertificateFile %[2]s
TLSCertificateKeyFile %[3]s
database mdb
suffix "dc=example,dc=com"
rootdn "cn=stoa,dc=example,dc=com"
rootpw "of the service"
directory %[1]s
overlay memberof
`

const slapdEntries = `
dn: dc=example,dc=com
objectClass: dcObject
objectClass: organization
o: Example

dn: ou=people,dc=example,dc=com
objectClass: organizationalUnit

dn: ou=groups,dc=example,dc=com
objectClass: organizationalUnit

dn: uid=alice,ou=people,dc=example,dc=com
objectClass: inetOrgPerson
cn: Alice
sn: Example
displayName: Alice
mail: alice@example.com
userPassword: password of alice

dn: uid=bob,ou=people,dc=example,dc=com
objectClass: inetOrgPerson
objectClass: shadowAccount
cn: Bob
sn: Example
mail: bob@example.com
userPassword: password of bob

dn: cn=Inner,ou=groups,dc=example,dc=com
objectClass: groupOfNames
member: uid=alice,ou=people,dc=example,dc=com
member: uid=bob,ou=people,dc=example,dc=com

dn: cn=Staff,ou=groups,dc=example,dc=com
objectClass: groupOfNames
member: cn=Inner,ou=groups,dc=example,dc=com

dn: cn=posix,ou=groups,dc=example,dc=com
objectClass: posixGroup
gidNumber: 1
memberUid: alice
`

// slapd starts OpenLDAP's server with TLS, and returns its addresses without and with it.
func slapd(t *testing.T, d *directory) (plain, encrypted string) {
	t.Helper()
	bin := os.Getenv("STOA_TEST_SLAPD")
	if bin == "" {
		t.Skip("requires OpenLDAP: run it with .ci/slapd")
	}
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	conf := write("slapd.conf", fmt.Sprintf(slapdConfig, dir, d.caFile, write("key.pem", d.keyPEM())))
	ldif := write("entries.ldif", slapdEntries)
	add := exec.CommandContext(t.Context(), bin, "-Tadd", "-f", conf, "-l", ldif)
	if out, err := add.CombinedOutput(); err != nil {
		t.Fatalf("slapadd: %v %s", err, out)
	}
	plain, encrypted = testrun.FreeAddr(t), testrun.FreeAddr(t)
	run := exec.CommandContext(t.Context(), bin, "-f", conf, "-d", "0", "-h", "ldap://"+plain+" ldaps://"+encrypted)
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = run.Process.Kill()
		_ = run.Wait()
	})
	testrun.Await(t, "slapd accepts connections", func() bool {
		c, err := net.Dial("tcp", encrypted)
		if err == nil {
			_ = c.Close()
		}
		return err == nil
	})
	return plain, encrypted
}

// TestOpenLDAP logs in with a real server, with LDAPS and StartTLS.
func TestOpenLDAP(t *testing.T) {
	certified := &directory{t: t}
	certified.certify("127.0.0.1", untilLater())
	plain, encrypted := slapd(t, certified)
	for _, how := range [][]string{
		{"url: \"ldaps://" + encrypted + "\""}, {"url: \"ldap://" + plain + "\"", "start_tls: true"},
	} {
		s := configured(t, "", append(how, "preset: openldap", "ca_file: \""+certified.caFile+"\"",
			"bind_dn: \""+serviceDN+"\"", "bind_password: "+secret, "base_dn: \"ou=people,dc=example,dc=com\"",
			"group_base_dn: \"ou=groups,dc=example,dc=com\"", "nested_groups: true", "require_groups: [Staff]",
			"roles_map: {posix: moderator}")...)
		fetch(s, "alice", "password of alice").OK()
		fetch(s, "bob@example.com", "password of bob").OK()
		if u := s.As("alice").Do("GET /users/me").OK(); !strings.Contains(u.Body, `"role":300`) {
			t.Errorf("%s", u.Body)
		}
		for _, name := range []string{"al*", "*", "alice)(uid=*", "alice\x00"} {
			fetch(s, name, "password of alice").Error(401, "AUTHENTICATION_FAILED",
				"Your username or password is incorrect")
		}
		fetch(s, "alice", "").Error(401, "AUTHENTICATION_FAILED", "Your username or password is incorrect")
		fetch(s, "alice", "wrong").Error(401, "AUTHENTICATION_FAILED", "Your username or password is incorrect")
		out, err := command(t, s, "ldap sync", `{}`)
		if err != nil || out["updated"] != 2. || kittest.JSON(out["deactivated"]) != "[]" {
			t.Errorf("%v %v", out, err)
		}
	}
}
