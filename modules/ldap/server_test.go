package ldap_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	ber "github.com/go-asn1-ber/asn1-ber"
	"github.com/go-ldap/ldap/v3"
)

// directory is an LDAP server, which does what a test tells it to.
type directory struct {
	t        *testing.T
	listener net.Listener
	cert     tls.Certificate
	caFile   string

	mu        sync.Mutex
	people    []*record
	binds     []string // DNs of binds with a password
	filters   []string // of searches
	conns     int
	refuseTLS bool                                   // StartTLS is not supported
	answer    func(id int64, op ber.Tag) *ber.Packet // instead of the server's own answer, unless nil
	stall     bool                                   // never answers
	parts     map[string][]string                    // of values, by what a search of one entry asks for
	dead      bool                                   // closes connections
}

// record is an entry.
type record struct {
	dn, password string
	attributes   map[string][]string
}

const (
	serviceDN = "cn=stoa,dc=example,dc=com"
	secret    = "of the service"
)

// newDirectory starts a directory with a service account, whose certificate is made for a host.
func newDirectory(t *testing.T, host string, encrypted bool, people ...*record) *directory {
	t.Helper()
	d := &directory{t: t, people: append(people, &record{dn: serviceDN, password: secret})}
	d.certify(host, time.Now().Add(time.Hour))
	var err error
	if d.listener, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	var running sync.WaitGroup
	running.Go(func() {
		for {
			c, err := d.listener.Accept()
			if err != nil {
				return
			}
			t.Cleanup(func() { _ = c.Close() })
			running.Go(func() {
				if encrypted {
					c = tls.Server(c, &tls.Config{Certificates: []tls.Certificate{d.cert}, MinVersion: tls.VersionTLS12})
				}
				d.serve(c)
			})
		}
	})
	t.Cleanup(func() { _ = d.listener.Close() })
	return d
}

// certify makes a certificate that is its own authority.
func (d *directory) certify(host string, until time.Time) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		d.t.Fatal(err)
	}
	about := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-48 * time.Hour), NotAfter: until, IsCA: true,
		BasicConstraintsValid: true, DNSNames: []string{host}, IPAddresses: []net.IP{net.ParseIP("127.0.0.1")},
	}
	if host != "127.0.0.1" {
		about.IPAddresses = nil
	}
	der, err := x509.CreateCertificate(rand.Reader, about, about, key.Public(), key)
	if err != nil {
		d.t.Fatal(err)
	}
	d.cert = tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
	d.caFile = filepath.Join(d.t.TempDir(), "ca.pem")
	if err := os.WriteFile(d.caFile, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600); err != nil {
		d.t.Fatal(err)
	}
}

// keyPEM returns the private key of the certificate.
func (d *directory) keyPEM() string {
	der, err := x509.MarshalPKCS8PrivateKey(d.cert.PrivateKey)
	if err != nil {
		d.t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}))
}

// untilLater is the end of a certificate that is valid.
func untilLater() time.Time { return time.Now().Add(time.Hour) }

func (d *directory) addr() string { return d.listener.Addr().String() }

// set changes the directory.
func (d *directory) set(change func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	change()
}

func (d *directory) serve(c net.Conn) {
	defer func() { _ = c.Close() }()
	dead := false
	d.set(func() { d.conns, dead = d.conns+1, d.dead })
	if dead {
		return
	}
	for {
		p, err := ber.ReadPacket(c)
		if err != nil || len(p.Children) < 2 {
			return
		}
		id, _ := p.Children[0].Value.(int64)
		op := p.Children[1]
		d.mu.Lock()
		stall, answer, refuse := d.stall, d.answer, d.refuseTLS
		d.mu.Unlock()
		if stall {
			continue
		}
		if answer != nil {
			if a := answer(id, op.Tag); a != nil {
				if _, err := c.Write(a.Bytes()); err != nil {
					return
				}
				continue
			}
		}
		switch op.Tag {
		case ldap.ApplicationBindRequest:
			d.reply(c, id, ldap.ApplicationBindResponse, d.bind(op))
		case ldap.ApplicationSearchRequest:
			d.search(c, id, p)
		case ldap.ApplicationExtendedRequest:
			if refuse {
				d.reply(c, id, ldap.ApplicationExtendedResponse, ldap.LDAPResultUnwillingToPerform)
				continue
			}
			d.reply(c, id, ldap.ApplicationExtendedResponse, ldap.LDAPResultSuccess)
			c = tls.Server(c, &tls.Config{Certificates: []tls.Certificate{d.cert}, MinVersion: tls.VersionTLS12})
		default:
			return
		}
	}
}

func message(id int64, op *ber.Packet) *ber.Packet {
	p := ber.Encode(ber.ClassUniversal, ber.TypeConstructed, ber.TagSequence, nil, "")
	p.AppendChild(ber.NewInteger(ber.ClassUniversal, ber.TypePrimitive, ber.TagInteger, id, ""))
	p.AppendChild(op)
	return p
}

// result returns a message with the result of an operation.
func result(id int64, tag ber.Tag, code int) *ber.Packet {
	op := ber.Encode(ber.ClassApplication, ber.TypeConstructed, tag, nil, "")
	op.AppendChild(ber.NewInteger(ber.ClassUniversal, ber.TypePrimitive, ber.TagEnumerated, code, ""))
	op.AppendChild(text(""))
	op.AppendChild(text(""))
	return message(id, op)
}

func text(s string) *ber.Packet {
	return ber.NewString(ber.ClassUniversal, ber.TypePrimitive, ber.TagOctetString, s, "")
}

func (d *directory) reply(c net.Conn, id int64, tag ber.Tag, code int) {
	_, _ = c.Write(result(id, tag, code).Bytes())
}

// bind lets an entry in with its password, and, like lax servers, anybody without a password.
func (d *directory) bind(op *ber.Packet) int {
	dn, password := str(op.Children[1]), op.Children[2].Data.String()
	d.mu.Lock()
	defer d.mu.Unlock()
	d.binds = append(d.binds, dn)
	if password == "" {
		return ldap.LDAPResultSuccess
	}
	for _, p := range d.people {
		if strings.EqualFold(p.dn, dn) && p.password == password {
			return ldap.LDAPResultSuccess
		}
	}
	return ldap.LDAPResultInvalidCredentials
}

func str(p *ber.Packet) string { s, _ := p.Value.(string); return s }

// search returns the entries below the base that a filter matches, page by page if a request says so. The cookie for
// the next page is known only to the same connection.
func (d *directory) search(c net.Conn, id int64, p *ber.Packet) {
	op := p.Children[1]
	base, scope, limit := str(op.Children[0]), op.Children[1].Value.(int64), op.Children[3].Value.(int64)
	text, err := ldap.DecompileFilter(op.Children[6])
	if err != nil {
		d.reply(c, id, ldap.ApplicationSearchResultDone, ldap.LDAPResultProtocolError)
		return
	}
	d.mu.Lock()
	d.filters = append(d.filters, text)
	var found []*record
	for _, p := range d.people {
		below := strings.HasSuffix(strings.ToLower(p.dn), strings.ToLower(base))
		if scope == ldap.ScopeBaseObject {
			below = strings.EqualFold(p.dn, base)
		}
		if below && p.matches(op.Children[6]) {
			found = append(found, p)
		}
	}
	d.mu.Unlock()
	code := ldap.LDAPResultSuccess
	if limit > 0 && int64(len(found)) > limit {
		found, code = found[:limit], ldap.LDAPResultSizeLimitExceeded
	}
	if asked := op.Children[7].Children; len(asked) == 1 && d.parts[str(asked[0])] != nil && len(found) == 1 {
		name := str(asked[0])
		found = []*record{{dn: found[0].dn, attributes: map[string][]string{name: d.parts[name]}}}
	}
	done := result(id, ldap.ApplicationSearchResultDone, code)
	if len(p.Children) > 2 {
		asked, err := ldap.DecodeControl(p.Children[2].Children[0])
		paging, ok := asked.(*ldap.ControlPaging)
		if err != nil || !ok {
			d.reply(c, id, ldap.ApplicationSearchResultDone, ldap.LDAPResultProtocolError)
			return
		}
		first, from := 0, c.LocalAddr().String()+c.RemoteAddr().String()
		if len(paging.Cookie) > 0 {
			if _, err := fmt.Sscanf(string(paging.Cookie), from+" %d", &first); err != nil {
				d.reply(c, id, ldap.ApplicationSearchResultDone, ldap.LDAPResultUnwillingToPerform)
				return
			}
		}
		next := ldap.NewControlPaging(0)
		if found = found[first:]; len(found) > int(paging.PagingSize) {
			found = found[:paging.PagingSize]
			next.SetCookie(fmt.Appendf(nil, "%s %d", from, first+len(found)))
		}
		controls := ber.Encode(ber.ClassContext, ber.TypeConstructed, 0, nil, "")
		controls.AppendChild(next.Encode())
		done.AppendChild(controls)
	}
	for _, p := range found {
		_, _ = c.Write(message(id, p.packet()).Bytes())
	}
	_, _ = c.Write(done.Bytes())
}

func (p *record) packet() *ber.Packet {
	op := ber.Encode(ber.ClassApplication, ber.TypeConstructed, ldap.ApplicationSearchResultEntry, nil, "")
	op.AppendChild(text(p.dn))
	list := ber.Encode(ber.ClassUniversal, ber.TypeConstructed, ber.TagSequence, nil, "")
	for name, values := range p.attributes {
		one := ber.Encode(ber.ClassUniversal, ber.TypeConstructed, ber.TagSequence, nil, "")
		one.AppendChild(text(name))
		set := ber.Encode(ber.ClassUniversal, ber.TypeConstructed, ber.TagSet, nil, "")
		for _, v := range values {
			set.AppendChild(text(v))
		}
		one.AppendChild(set)
		list.AppendChild(one)
	}
	op.AppendChild(list)
	return op
}

// matches evaluates a filter.
func (p *record) matches(f *ber.Packet) bool {
	switch f.Tag {
	case ldap.FilterAnd, ldap.FilterOr:
		for _, one := range f.Children {
			if p.matches(one) == (f.Tag == ldap.FilterOr) {
				return f.Tag == ldap.FilterOr
			}
		}
		return f.Tag == ldap.FilterAnd
	case ldap.FilterPresent:
		return len(p.attributes[f.Data.String()]) > 0 || strings.EqualFold(f.Data.String(), "objectClass")
	case ldap.FilterEqualityMatch:
		for _, v := range p.attributes[str(f.Children[0])] {
			if strings.EqualFold(v, str(f.Children[1])) {
				return true
			}
		}
	}
	return false
}

// someone returns the entry of a person.
func someone(uid, mail, name string, more map[string][]string) *record {
	p := &record{dn: "uid=" + uid + ",ou=people,dc=example,dc=com", password: "password of " + uid,
		attributes: map[string][]string{
			"objectClass": {"person"}, "uid": {uid}, "mail": {mail}, "displayName": {name}, "cn": {name},
			"entryUUID": {"id-of-" + uid},
		}}
	for k, v := range more {
		p.attributes[k] = v
	}
	return p
}

// members returns the entry of a group.
func members(cn string, dns ...string) *record {
	return &record{dn: "cn=" + cn + ",ou=groups,dc=example,dc=com", attributes: map[string][]string{
		"objectClass": {"groupOfNames"}, "cn": {cn}, "member": dns,
	}}
}
