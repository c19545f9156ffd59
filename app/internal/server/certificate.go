package server

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/url"
	"time"

	"github.com/stoachat/stoa/ports"
)

// measureCertificate creates the instrument about the certificate that people's programs see at http.url, which is that
// of a proxy in front of the server.
func (s *Server) measureCertificate() {
	u, err := url.Parse(s.Config.Settings.HTTP.URL)
	if err != nil || u.Scheme != "https" {
		return
	}
	s.metrics.Gauge(ports.Instrument{
		Name: "stoa_tls_not_after_seconds", Age: time.Hour,
		Help: "When the certificate at http.url ends; missing if the server cannot reach that address.",
	}, func(ctx context.Context, set ports.SetValue) error {
		end, err := certificateEnd(ctx, u)
		if err == nil {
			set(float64(end.Unix()))
		}
		return err
	})
}

// certificateEnd returns when the certificate at an address ends, or ended.
func certificateEnd(ctx context.Context, u *url.URL) (time.Time, error) {
	port := u.Port()
	if port == "" {
		port = "443"
	}
	d := tls.Dialer{Config: &tls.Config{
		InsecureSkipVerify: true, //nolint:gosec // nothing is sent, and the end of an invalid certificate matters as well
		MinVersion:         tls.VersionTLS12,
	}}
	c, err := d.DialContext(ctx, "tcp", net.JoinHostPort(u.Hostname(), port))
	if err != nil {
		return time.Time{}, err
	}
	defer func() { _ = c.Close() }()
	conn, ok := c.(*tls.Conn)
	if !ok || len(conn.ConnectionState().PeerCertificates) == 0 {
		return time.Time{}, errors.New("the server has sent no certificate")
	}
	return conn.ConnectionState().PeerCertificates[0].NotAfter, nil
}
