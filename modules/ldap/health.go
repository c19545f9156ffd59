package ldap

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/go-ldap/ldap/v3"

	"github.com/stoachat/stoa/modules/kit"
)

// remembered is how long the result of a health check counts, since load balancers ask often.
const remembered = time.Minute

// health is the result of the last health check of a directory.
type health struct {
	mu  sync.Mutex
	at  time.Time
	err error
}

// checks returns the health checks of the directories.
func (s *service) checks() []kit.Check {
	var all []kit.Check
	for _, d := range s.directories {
		all = append(all, kit.Check{Name: d.ID, Minor: true, Run: d.healthy})
	}
	return all
}

// trials connect to the directories with the service accounts.
func (s *service) trials() []kit.Trial {
	var all []kit.Trial
	for i, d := range s.directories {
		all = append(all, kit.Trial{Key: fmt.Sprintf("directories.%d.url", i), Run: func(ctx context.Context) error {
			defer d.close()
			if err := d.try(ctx); err != nil {
				return fmt.Errorf("%s cannot be used: %w; compare url, start_tls, ca_file, bind_dn and the password with the "+
					"directory, as with stoa ldap test", d.about.Name, err)
			}
			return nil
		}})
	}
	return all
}

// healthy reports whether the directory works, and accepts the service account if there is one.
func (d *directory) healthy(ctx context.Context) error {
	d.health.mu.Lock()
	defer d.health.mu.Unlock()
	if now := d.clock.Now(); d.health.at.IsZero() || now.Sub(d.health.at) >= remembered {
		d.health.at, d.health.err = now, d.try(ctx)
	}
	if d.health.err != nil {
		return fmt.Errorf("people cannot log in with %s: %w; see stoa ldap test", d.about.Name, d.health.err)
	}
	return nil
}

// try asks the directory for its root entry.
func (d *directory) try(ctx context.Context) error {
	if d.BindDN == "" {
		c, err := d.dial(ctx)
		if err == nil {
			_ = c.Close()
		}
		return err
	}
	r := d.request("", ldap.ScopeBaseObject, 1, "(objectClass=*)", []string{"1.1"})
	return d.asService(ctx, func(c *connection) error {
		return c.during(ctx, d, maxAnswer, func() error {
			_, err := c.Search(r)
			if isDown(err) {
				return err
			}
			return nil // even if the entry may not be read
		})
	})
}
