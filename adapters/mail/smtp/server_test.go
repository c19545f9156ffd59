package smtp_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"log"
	"math/big"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net"
	netmail "net/mail"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"

	"github.com/stoachat/stoa/adapters/mail/mailtest"
	"github.com/stoachat/stoa/domain/mail"
)

// server is a mail server for tests.
type server struct {
	t        *testing.T
	port     int
	mu       sync.Mutex
	got      []mail.Message
	raw      []string
	users    []string // users who have logged in
	secure   []bool   // per email: whether it was encrypted
	open     bool
	sender   error // rejects the sender
	data     error // rejects the content
	hang     chan struct{}
	accepted chan struct{}
}

// authority creates a self-signed certificate for localhost, which is its own certificate authority.
func authority(t *testing.T) (file string, cert tls.Certificate) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test"}, NotBefore: now.Add(-time.Hour),
		NotAfter: now.Add(time.Hour),
		IsCA:     true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}, DNSNames: []string{"localhost"},
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	file = filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600); err != nil {
		t.Fatal(err)
	}
	return file, tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

// serve starts a mail server. Without cert, it does not support TLS; if full is set, it requires TLS from the start.
func serve(t *testing.T, cert *tls.Certificate, full bool, change ...func(*smtp.Server)) *server {
	t.Helper()
	s := &server{t: t, accepted: make(chan struct{}, 100)}
	one := smtp.NewServer(smtp.BackendFunc(func(c *smtp.Conn) (smtp.Session, error) {
		s.accepted <- struct{}{}
		_, secure := c.TLSConnectionState()
		return &session{server: s, secure: secure}, nil
	}))
	one.Domain, one.ErrorLog = "mail.test", log.New(io.Discard, "", 0)
	if cert != nil {
		one.TLSConfig = &tls.Config{Certificates: []tls.Certificate{*cert}, MinVersion: tls.VersionTLS12}
	}
	for _, f := range change {
		f(one)
	}
	ln, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s.port = ln.Addr().(*net.TCPAddr).Port
	if full {
		ln = tls.NewListener(ln, one.TLSConfig)
	}
	done := make(chan struct{})
	go func() { defer close(done); _ = one.Serve(ln) }()
	t.Cleanup(func() { _ = one.Close(); <-done })
	return s
}

func (s *server) received(*testing.T) []mail.Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	got := s.got
	s.got = nil
	return got
}

func (s *server) allow() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open = true
}

// session handles one connection.
type session struct {
	*server
	secure   bool
	from, to string
}

func (s *session) AuthMechanisms() []string { return []string{sasl.Plain} }

func (s *session) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, user, password string) error {
		if user != "stoa" || password != "pass word" {
			return smtp.ErrAuthFailed
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		s.users = append(s.users, user)
		return nil
	}), nil
}

func (s *session) Reset()        { s.from, s.to = "", "" }
func (s *session) Logout() error { return nil }

func (s *session) Mail(from string, _ *smtp.MailOptions) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.from = from
	return s.sender
}

func (s *session) Rcpt(to string, _ *smtp.RcptOptions) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.to != "":
		return &smtp.SMTPError{Code: 452, Message: "one person, please"}
	case to == mailtest.Refused:
		return &smtp.SMTPError{Code: 550, EnhancedCode: smtp.EnhancedCode{5, 1, 1}, Message: "nobody"}
	case to == mailtest.Later && !s.open:
		return &smtp.SMTPError{Code: 450, EnhancedCode: smtp.EnhancedCode{4, 2, 0}, Message: "greylisted"}
	}
	s.to = to
	return nil
}

func (s *session) Data(r io.Reader) error {
	raw, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	if s.hang != nil {
		<-s.hang
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.data != nil {
		return s.data
	}
	s.raw = append(s.raw, string(raw))
	s.server.secure = append(s.server.secure, s.secure)
	s.got = append(s.got, s.read(string(raw)))
	return nil
}

// read parses an email as an email program does.
func (s *session) read(raw string) mail.Message {
	m, err := netmail.ReadMessage(strings.NewReader(raw))
	if err != nil {
		s.t.Error(err)
		return mail.Message{}
	}
	subject, err := new(mime.WordDecoder).DecodeHeader(m.Header.Get("Subject"))
	if err != nil {
		s.t.Error(err)
	}
	out := mail.Message{To: s.to, Subject: subject}
	kind, params, err := mime.ParseMediaType(m.Header.Get("Content-Type"))
	switch {
	case err != nil:
		s.t.Error(err)
	case kind == "multipart/alternative":
		parts := multipart.NewReader(m.Body, params["boundary"])
		for _, want := range []struct {
			kind string
			into *string
		}{{"text/plain", &out.Text}, {"text/html", &out.HTML}} {
			part, err := parts.NextRawPart()
			if err != nil {
				s.t.Error(err)
				break
			}
			*want.into = s.part(part.Header.Get, want.kind, part)
		}
	default:
		out.Text = s.part(m.Header.Get, "text/plain", m.Body)
	}
	if link := m.Header.Get("List-Unsubscribe"); link != "" {
		out.Unsubscribe = strings.Trim(link, "<>")
		if got := m.Header.Get("List-Unsubscribe-Post"); got != "List-Unsubscribe=One-Click" {
			s.t.Errorf("List-Unsubscribe-Post is %q", got)
		}
	}
	id, domain, _ := strings.Cut(strings.Trim(m.Header.Get("Message-ID"), "<>"), "@")
	if domain != "chat.example.com" || s.from != "noreply@chat.example.com" {
		s.t.Errorf("from %s, id at %s", s.from, domain)
	}
	if to := m.Header.Get("To"); strings.Trim(to, "<>") != s.to {
		s.t.Errorf("header recipient %s, envelope recipient %s", to, s.to)
	}
	out.ID = id
	return out
}

// part decodes the text of an email, or of one of its parts.
func (s *session) part(header func(string) string, kind string, body io.Reader) string {
	if header("Content-Transfer-Encoding") != "quoted-printable" ||
		!strings.HasPrefix(header("Content-Type"), kind+"; charset=UTF-8") {
		s.t.Errorf("%s, %s; want %s", header("Content-Transfer-Encoding"), header("Content-Type"), kind)
	}
	text, err := io.ReadAll(quotedprintable.NewReader(body))
	if err != nil {
		s.t.Error(err)
	}
	return strings.ReplaceAll(string(text), "\r\n", "\n")
}
