package crash_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"github.com/stoachat/stoa/app/proof/internal/harness"
)

// balancer distributes requests over nodes in turn, without sticky sessions. Like common load balancers, it checks
// /health and tries the next node if it cannot connect.
type balancer struct {
	*httptest.Server
	nodes []*harness.Server
	ready []atomic.Bool
	turn  atomic.Int64
	next  http.RoundTripper
}

func newBalancer(nodes []*harness.Server) *balancer {
	b := &balancer{nodes: nodes, ready: make([]atomic.Bool, len(nodes)), next: &http.Transport{MaxIdleConnsPerHost: 100}}
	for i := range b.ready {
		b.ready[i].Store(true)
	}
	b.Server = httptest.NewServer(&httputil.ReverseProxy{
		Rewrite:   func(r *httputil.ProxyRequest) { r.SetXForwarded(); r.Out.Host = r.In.Host },
		Transport: b,
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, _ error) {
			w.WriteHeader(http.StatusBadGateway)
		},
	})
	return b
}

var errNoNode = errors.New("no node is ready")

// RoundTrip implements http.RoundTripper.
func (b *balancer) RoundTrip(r *http.Request) (*http.Response, error) {
	body := []byte(nil)
	if r.Body != nil {
		var err error
		if body, err = io.ReadAll(r.Body); err != nil {
			return nil, err
		}
	}
	for range b.nodes {
		i := int(b.turn.Add(1)) % len(b.nodes)
		if !b.ready[i].Load() {
			continue
		}
		to, err := url.Parse(b.nodes[i].URL)
		if err != nil {
			return nil, err
		}
		r.URL.Scheme, r.URL.Host = to.Scheme, to.Host
		r.Body = io.NopCloser(bytes.NewReader(body))
		res, err := b.next.RoundTrip(r)
		var op *net.OpError
		if errors.As(err, &op) && op.Op == "dial" {
			b.ready[i].Store(false)
			continue
		}
		return res, err
	}
	return nil, errNoNode
}

// watch checks the nodes' health several times a second until ctx ends.
func (b *balancer) watch(ctx context.Context) {
	ask := &http.Client{Timeout: time.Second}
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for ctx.Err() == nil {
		var all sync.WaitGroup
		for i, n := range b.nodes {
			all.Go(func() {
				res, err := ask.Get(n.URL + "/health")
				if err == nil {
					_ = res.Body.Close()
				}
				b.ready[i].Store(err == nil && res.StatusCode == http.StatusOK)
			})
		}
		all.Wait()
		select {
		case <-tick.C:
		case <-ctx.Done():
		}
	}
}
