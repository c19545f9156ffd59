package crash_test

import (
	"database/sql"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"time"

	"github.com/stoachat/stoa/adapters/bunstore/storetest"
	"github.com/stoachat/stoa/app/kittest/testrun"
	"github.com/stoachat/stoa/app/proof/internal/harness"
)

// takeover is how long what a dead node holds may stay unavailable: twelve seconds, and time for a busy machine.
const takeover = 15 * time.Second

// TestClusterDeadLease kills a node while it calls the service of an outgoing webhook, and the node that runs the job
// for emails while the mail server hangs. Another node must take over both within seconds.
func TestClusterDeadLease(t *testing.T) {
	if !storetest.Postgres() || !alone() {
		t.Skip("measures times on several nodes: run make cluster")
	}
	service, mails := newHangingService(t), newHangingMailServer(t)
	c := newCluster(t, 3, func(first *harness.Server) {
		host, port, _ := net.SplitHostPort(mails.addr)
		first.Env = append(first.Env, "STOA_ADAPTERS_WEBHOOKS_NETWORKS=127.0.0.0/8", "STOA_ADAPTERS_MAIL_USE=smtp",
			"STOA_ADAPTERS_MAIL_HOST="+host, "STOA_ADAPTERS_MAIL_PORT="+port, "STOA_ADAPTERS_MAIL_TLS=none",
			"STOA_ADAPTERS_MAIL_FROM=stoa@example.com", "STOA_HTTP_URL=http://127.0.0.1")
	})
	var call, job time.Duration
	c.trouble(4, time.Second, func() {
		bot := harness.Int(c.owner.Must("POST", "/bots", url.Values{"full_name": {"Service"}, "short_name": {"service"},
			"bot_type": {"3"}, "service_name": {"x"}, "payload_url": {fmt.Sprintf("%q", service.URL)}})["user_id"])
		call = c.killHolder(service.calls, "SELECT holder FROM outgoing_calls", func() {
			c.owner.Must("POST", "/messages", url.Values{"type": {"direct"}, "to": {fmt.Sprintf("[%d]", bot)},
				"content": {"call"}})
		})
		if n := c.answers(bot); n != 1 {
			t.Errorf("the bot answered %d times", n)
		}
	}, func() {
		job = c.killHolder(mails.calls, "SELECT holder FROM job_leases WHERE name = 'mail.send_mails'", func() {
			c.owner.Must("POST", "/invites", url.Values{"invitee_emails": {"new@example.com"}, "stream_ids": {"[]"}})
		})
	})
	c.report("node killed during the call of a webhook", "takeover", call)
	c.report("node killed during a job", "takeover", job)
	for what, took := range map[string]time.Duration{"call": call, "job": job} {
		if took > takeover {
			t.Errorf("another node took over the %s after %.1f s", what, took.Seconds())
		}
	}
}

// killHolder starts work that calls a service, which hangs, kills the node that query names as its holder, and returns
// the time until another node calls the service. Then it starts the node again.
func (c *cluster) killHolder(calls <-chan time.Time, query string, begin func()) time.Duration {
	c.t.Helper()
	next := func() time.Time {
		c.t.Helper()
		return testrun.Receive(c.t, calls, "call of the service")
	}
	for len(calls) > 0 {
		<-calls
	}
	begin()
	next()
	n := c.holder(query)
	n.Kill()
	killed := time.Now()
	took := next().Sub(killed)
	n.Start()
	return took
}

// holder returns the node whose ID query returns.
func (c *cluster) holder(query string) *harness.Server {
	c.t.Helper()
	db, err := sql.Open("pgx", c.nodes[0].Variable("STOA_DATABASE_URL"))
	if err != nil {
		c.t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	var pid int
	if err := db.QueryRow("SELECT pid FROM nodes WHERE id = (" + query + ")").Scan(&pid); err != nil {
		c.t.Fatal(err)
	}
	for _, n := range c.nodes {
		if n.Cmd.Process.Pid == pid {
			return n
		}
	}
	c.t.Fatalf("process %d is no node", pid)
	return nil
}

// answers waits for the first message of a bot to the owner, and returns how many there are.
func (c *cluster) answers(bot int64) (n int) {
	c.t.Helper()
	testrun.Await(c.t, "answer of the bot", func() bool {
		page := c.owner.Must("GET", "/messages", url.Values{"anchor": {"newest"}, "num_before": {"100"}, "num_after": {"0"},
			"narrow": {fmt.Sprintf(`[{"operator":"sender","operand":%d}]`, bot)}})
		n = len(page["messages"].([]any))
		return n > 0
	})
	return n
}

// hangingService is the service of an outgoing webhook. It answers all requests but the first.
type hangingService struct {
	*httptest.Server
	calls chan time.Time // when it was called
}

func newHangingService(t *testing.T) *hangingService {
	t.Helper()
	s := &hangingService{calls: make(chan time.Time, 100)}
	first := make(chan struct{}, 1)
	first <- struct{}{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.calls <- time.Now()
		_, _ = io.Copy(io.Discard, r.Body) // before this, it does not notice that the client is gone
		select {
		case <-first:
			<-r.Context().Done()
		default:
			_, _ = fmt.Fprint(w, `{"content":"answer"}`)
		}
	}))
	t.Cleanup(s.Close)
	return s
}

// hangingMailServer accepts connections and does not greet.
type hangingMailServer struct {
	addr  string
	calls chan time.Time // when it was called
}

func newHangingMailServer(t *testing.T) *hangingMailServer {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	s := &hangingMailServer{addr: l.Addr().String(), calls: make(chan time.Time, 100)}
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			t.Cleanup(func() { _ = conn.Close() })
			s.calls <- time.Now()
		}
	}()
	return s
}
