package nats

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"

	"github.com/stoachat/stoa/modules/kit"
)

// Config holds the addresses of the servers and how to log in to them.
type Config struct {
	// addresses of the servers of one NATS cluster, such as tls://nats1.internal:4222; nats:// is not encrypted
	URLs    []string `yaml:"urls"`
	Subject string   `yaml:"subject"` // of the messages; different for each Stoa cluster that uses the same servers
	User    string   `yaml:"user"`    // login name; empty: no password
	// password of user; put it into STOA_ADAPTERS_BUS_PASSWORD rather than into a file
	Password kit.Secret `yaml:"password"`
	// file with a user's JWT and key, as nsc writes it; empty: none
	CredentialsFile string `yaml:"credentials_file"`
	// PEM file with the servers' certificate authorities; empty: the system's
	CAFile string `yaml:"ca_file"`
	// PEM files with the certificate by which the servers know this node, and its key; empty: none
	CertFile string `yaml:"cert_file"`
	KeyFile  string `yaml:"key_file"`
}

// Defaults returns the default configuration, which lacks the servers.
func Defaults() Config { return Config{Subject: "stoa"} }

// Validate checks the configuration.
func (c Config) Validate() error {
	var all []error
	if len(c.URLs) == 0 {
		all = append(all, errors.New("urls: want addresses such as tls://nats1.internal:4222"))
	}
	for _, text := range c.URLs {
		u, err := url.Parse(text)
		switch {
		case err != nil, u.Scheme != "tls" && u.Scheme != "nats", u.Hostname() == "", strings.Trim(u.Path, "/") != "":
			all = append(all, fmt.Errorf("urls: %q is not an address such as tls://nats1.internal:4222", text))
		case u.User != nil:
			all = append(all, errors.New("urls: put the login into user and STOA_ADAPTERS_BUS_PASSWORD"))
		case u.Scheme == "nats" && c.User != "" && !loopback(u.Hostname()):
			all = append(all, errors.New("user: a password must not be sent unencrypted; let urls begin with tls://"))
		}
	}
	if c.Subject == "" || strings.ContainsAny(c.Subject, " \t\r\n*>") || strings.HasPrefix(c.Subject, ".") ||
		strings.HasSuffix(c.Subject, ".") || strings.Contains(c.Subject, "..") {
		all = append(all, errors.New("subject: want words joined by points, such as stoa"))
	}
	if (c.CertFile == "") != (c.KeyFile == "") {
		all = append(all, errors.New("cert_file: cert_file and key_file belong together"))
	}
	return errors.Join(all...)
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
