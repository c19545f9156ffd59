package ldap

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/go-ldap/ldap/v3"

	"github.com/stoachat/stoa/domain/signin"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/ports"
)

// directory is a configured directory.
type directory struct {
	directoryConfig

	about      signin.Provider
	address    *url.URL
	encryption *tls.Config
	secret     string // of the service account
	clock      ports.Clock
	guesses    guesses
	health     health

	service chan *connection // idle connections of the service account; nil: not connected
	people  chan struct{}    // slots for connections that bind as people

	mu   sync.Mutex
	down time.Time // until when it is not asked
}

// Connections to a directory at the same time.
const (
	serviceConnections = 2
	peopleConnections  = 8
)

// outage is the time for which a directory that has failed is not asked.
const outage = 30 * time.Second

func newDirectory(c directoryConfig, clock ports.Clock) (*directory, error) {
	d := &directory{
		directoryConfig: c, clock: clock,
		about: signin.Provider{
			ID: "ldap:" + c.ID, Name: c.Name, SignUp: c.AutoSignUp, Link: c.AutoLink == nil || *c.AutoLink, Follow: true,
			Groups: map[string]string{}, Roles: map[string]user.Role{},
		},
		service: make(chan *connection, serviceConnections), people: make(chan struct{}, peopleConnections),
	}
	var err error
	if d.address, err = c.address(); err != nil {
		return nil, fmt.Errorf("url: %w", err)
	}
	if d.encryption, err = c.tls(); err != nil {
		return nil, fmt.Errorf("ca_file: %w", err)
	}
	if d.secret, err = c.password(); err != nil {
		return nil, fmt.Errorf("bind_password_file: %w", err)
	}
	for at, name := range c.GroupsMap {
		d.about.Groups[canonical(at)] = name
	}
	for at, role := range c.RolesMap {
		d.about.Roles[canonical(at)] = roles[role]
	}
	for range serviceConnections {
		d.service <- nil
	}
	return d, nil
}

// errDown is the error of a directory that is not asked, because it has failed a moment ago.
var errDown = errors.New("the directory has not responded a moment ago")

// available returns errDown while the directory is not asked.
func (d *directory) available() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.clock.Now().Before(d.down) {
		return errDown
	}
	return nil
}

// fails remembers an error that says that the directory does not work, and returns it.
func (d *directory) fails(ctx context.Context, err error) error {
	if isDown(err) && !errors.Is(err, errDown) && ctx.Err() == nil {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.down = d.clock.Now().Add(outage)
	}
	return err
}

// asService runs steps on a connection of the service account. An idle connection that the server has closed is
// replaced.
func (d *directory) asService(ctx context.Context, steps func(c *connection) error) error {
	var c *connection
	select {
	case c = <-d.service:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { d.service <- c }()
	reused := c != nil && !c.IsClosing()
	for {
		if c == nil || c.IsClosing() {
			var err error
			if c, err = d.connect(ctx); err != nil {
				return err
			}
		}
		err := steps(c)
		if isDown(err) {
			_ = c.Close()
			c = nil
		}
		if !isDown(err) || !reused || ctx.Err() != nil {
			return err
		}
		reused = false
	}
}

// connect returns a new connection of the service account.
func (d *directory) connect(ctx context.Context) (*connection, error) {
	c, err := d.dial(ctx)
	if err != nil {
		return nil, err
	}
	wrong, err := d.bind(ctx, c, d.BindDN, d.secret)
	if wrong {
		_ = c.Close()
		return nil, setupError(fmt.Sprintf("the directory refuses bind_dn with bind_password: %v", err))
	}
	if err != nil {
		_ = c.Close()
		return nil, err
	}
	return c, nil
}

// close closes idle connections.
func (d *directory) close() {
	for range serviceConnections {
		select {
		case c := <-d.service:
			if c != nil {
				_ = c.Close()
			}
			d.service <- nil
		default:
		}
	}
}

// canonical returns the form in which groups are compared: in lower case, and DNs without optional spaces.
func canonical(name string) string {
	if dn, err := ldap.ParseDN(name); err == nil && strings.Contains(name, "=") {
		name = dn.String()
	}
	return strings.ToLower(name)
}
