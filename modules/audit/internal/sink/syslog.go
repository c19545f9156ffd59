package sink

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"

	"github.com/stoachat/stoa/domain/audit"
)

// Syslog sends entries in the format of RFC 5424 over TLS, as RFC 5425 describes.
type Syslog struct {
	Addr   string `yaml:"addr"`    // host and port of the collector, such as logs.example.com:6514; "": none
	CAFile string `yaml:"ca_file"` // PEM file with the authorities of its certificate; "": those of the system
	Format string `yaml:"format"`  // of the messages: jsonl, mattermost, ocsf or cef
}

// Problem returns an error if the settings are invalid.
func (s Syslog) Problem() error {
	if s.Addr == "" {
		return nil
	}
	if _, port, err := net.SplitHostPort(s.Addr); err != nil || port == "" {
		return errors.New("syslog.addr: want a host and a port such as logs.example.com:6514")
	}
	if s.Format == "csv" {
		return errors.New("syslog.format: want jsonl, mattermost, ocsf or cef")
	}
	return checkFormat("syslog", s.Format)
}

// Send implements Sink. The protocol has no acknowledgments, so an orderly end of the connection counts as success.
func (s Syslog) Send(ctx context.Context, entries []audit.Entry) error {
	text, err := s.frames(entries)
	if err != nil {
		return err
	}
	cfg := &tls.Config{MinVersion: tls.VersionTLS12}
	if s.CAFile != "" {
		pem, err := os.ReadFile(s.CAFile)
		if err != nil {
			return err
		}
		cfg.RootCAs = x509.NewCertPool()
		if !cfg.RootCAs.AppendCertsFromPEM(pem) {
			return fmt.Errorf("%s contains no certificate", s.CAFile)
		}
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	d := tls.Dialer{Config: cfg}
	conn, err := d.DialContext(ctx, "tcp", s.Addr)
	if err != nil {
		return err
	}
	if at, ok := ctx.Deadline(); ok {
		err = conn.SetDeadline(at)
	}
	if err == nil {
		_, err = conn.Write(text)
	}
	return errors.Join(err, conn.Close())
}

// The facility and the severities of RFC 5424.
const (
	logAudit = 13
	warning  = 4
	info     = 6
)

// frames returns a message per entry, each after its length.
func (s Syslog) frames(entries []audit.Entry) ([]byte, error) {
	host, err := os.Hostname()
	if err != nil {
		host = "-"
	}
	var out bytes.Buffer
	for _, e := range entries {
		text, err := lines(s.Format, []audit.Entry{e})
		if err != nil {
			return nil, err
		}
		severity := info
		if e.Outcome != "ok" {
			severity = warning
		}
		m := fmt.Sprintf("<%d>1 %s %s stoa - %s - %s", 8*logAudit+severity,
			e.Time.UTC().Format("2006-01-02T15:04:05.000000Z"), field(host, 255), field(string(e.Action), 32),
			strings.TrimSuffix(string(text), "\n"))
		fmt.Fprintf(&out, "%d %s", len(m), m)
	}
	return out.Bytes(), nil
}

// field returns text as a field of the header, which contains only visible ASCII characters.
func field(text string, limit int) string {
	text = strings.Map(func(r rune) rune {
		if r < 33 || r > 126 {
			return '_'
		}
		return r
	}, text)
	if text == "" {
		return "-"
	}
	return text[:min(len(text), limit)]
}
