package crash_test

import (
	"context"
	"database/sql"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stoachat/stoa/adapters/bunstore/storetest"
	"github.com/stoachat/stoa/app/kittest/testrun"
	"github.com/stoachat/stoa/app/proof/internal/harness"
)

// TestCluster runs three nodes on one PostgreSQL behind a balancer without sticky sessions. Users log in and register,
// and all send and poll, while a node is killed, all nodes are restarted in turn, and the database is restarted.
// Acknowledged messages must be stored once and reach every queue once and in order, and no valid request may be
// refused.
//
// make cluster has its own PostgreSQL (STOA_TEST_ALONE), restarts it, and prints the result. Otherwise other tests use
// the same server, so only the connections to this database are interrupted.
func TestCluster(t *testing.T) {
	if !storetest.Postgres() {
		t.Skip("SQLite supports a single node")
	}
	c := newCluster(t, 3)
	people, pause := 6, 2*time.Second
	if !testrun.Long() {
		people, pause = 3, time.Second
	}
	c.trouble(people, pause,
		func() { c.nodes[1].Kill(); time.Sleep(pause); c.nodes[1].Start() },
		c.rollingRestart,
		c.restartDatabase,
	)
	c.report("nodes and database killed and restarted", "hold-up", c.all.longest)
}

// trouble lets people send and poll while each fault happens in turn. Then it checks that no message was lost or
// duplicated, and no valid request refused.
func (c *cluster) trouble(people int, pause time.Duration, faults ...func()) {
	c.t.Helper()
	ctx, stop := context.WithCancel(c.t.Context())
	if !c.strict {
		go c.front.watch(ctx)
	}
	var sending, polling sync.WaitGroup
	for i := range people {
		c.people = append(c.people, c.join(i))
	}
	for _, p := range c.people {
		sending.Go(func() { p.send(ctx) })
		polling.Go(p.poll)
	}
	for _, fault := range faults {
		time.Sleep(pause)
		fault()
	}
	time.Sleep(pause)
	stop()
	sending.Wait()
	c.owner.Must("POST", "/messages", url.Values{"type": {"stream"}, "to": {`"proof"`}, "topic": {"end"},
		"content": {"end"}})
	polling.Wait()
	c.lost, c.doubled = c.compare()
	for _, r := range c.refused {
		c.t.Error("refused: ", r)
	}
	if c.lost > 0 || c.doubled > 0 || len(c.acked) == 0 {
		c.t.Error("messages were lost or duplicated")
	}
}

// cluster holds the state that all clients share.
type cluster struct {
	t     *testing.T
	nodes []*harness.Server
	front *balancer
	owner *harness.Server // sends its requests through the balancer

	mu      sync.Mutex
	people  []*member
	acked   map[string]int64 // message IDs by content
	refused []string

	all           gaps // in the acknowledgements of all members
	lost, doubled int
	strict        bool // temporary errors count as refusals
	retries       int  // temporary errors of a request beyond these count as refusals; 0: no limit
}

// newCluster starts nodes. change changes the environment of the first one, which the others copy, when the database
// exists.
func newCluster(t *testing.T, nodes int, change ...func(first *harness.Server)) *cluster {
	t.Helper()
	first := harness.NewServer(t)
	for _, f := range change {
		f(first)
	}
	first.Env = append(first.Env, "STOA_SECRET="+strings.Repeat("s", 40), "STOA_HTTP_STOP_DELAY=1s")
	c := &cluster{t: t, nodes: []*harness.Server{first}, acked: map[string]int64{}}
	for len(c.nodes) < nodes {
		c.nodes = append(c.nodes, first.Node())
	}
	for _, n := range c.nodes {
		n.Start()
	}
	c.front = newBalancer(c.nodes)
	t.Cleanup(c.front.Close)
	c.owner = &harness.Server{T: t, URL: c.front.URL, Mail: first.Mail, Key: first.Key}
	c.owner.Must("POST", "/users/me/subscriptions", url.Values{"subscriptions": {`[{"name":"proof"}]`}})
	return c
}

// rollingRestart restarts the nodes one after the other.
func (c *cluster) rollingRestart() {
	for _, n := range c.nodes {
		c.stop(n)
		n.Start()
	}
}

// stop stops a node as a service manager does.
func (c *cluster) stop(n *harness.Server) {
	err := n.Signal(syscall.SIGTERM)
	if err == nil {
		err = n.Cmd.Wait()
	}
	if err != nil {
		c.t.Errorf("a node stopped with %v\n%s", err, n.Log)
	}
}

func (c *cluster) restartDatabase() {
	if command := os.Getenv("STOA_TEST_POSTGRES_RESTART"); command != "" && alone() {
		if out, err := exec.Command("sh", "-c", command).CombinedOutput(); err != nil {
			c.t.Errorf("restart the database: %v\n%s", err, out)
		}
		return
	}
	lockOut(c.t, c.nodes[0], time.Second)
}

// ack records an acknowledged message.
func (c *cluster) ack(content string, id int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if first, ok := c.acked[content]; ok && first != id {
		c.t.Errorf("%s was acknowledged as %d and as %d", content, first, id)
	}
	c.acked[content] = id
}

func (c *cluster) refuse(what string, answer any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.refused = append(c.refused, fmt.Sprint(what, ": ", answer))
}

// compare counts the acknowledged messages that are missing from the store or a queue, and those that occur twice.
func (c *cluster) compare() (lost, doubled int) {
	stored := map[string]int64{}
	for anchor := "oldest"; ; {
		page := c.owner.Must("GET", "/messages", url.Values{"anchor": {anchor}, "num_before": {"0"}, "num_after": {"1000"},
			"include_anchor": {fmt.Sprint(anchor == "oldest")}, "apply_markdown": {"false"},
			"narrow": {`[["channel","proof"],["topic","t"]]`}})
		for _, m := range page["messages"].([]any) {
			message := m.(map[string]any)
			content, id := message["content"].(string), harness.Int(message["id"])
			if stored[content] != 0 {
				doubled++
			}
			stored[content], anchor = id, fmt.Sprint(id)
		}
		if page["found_newest"] == true {
			break
		}
	}
	for content, id := range c.acked {
		if stored[content] != id {
			c.t.Errorf("%q was acknowledged as %d and is stored as %d", content, id, stored[content])
			lost++
		}
	}
	for _, p := range c.people {
		got := slices.Clone(p.got)
		if !slices.IsSorted(got) {
			c.t.Errorf("the queue of %s is out of order", p.Mail)
		}
		slices.Sort(got)
		doubled += len(got) - len(slices.Compact(got))
		for _, id := range c.acked {
			if _, there := slices.BinarySearch(got, id); !there {
				c.t.Errorf("message %d did not reach %s", id, p.Mail)
				lost++
			}
		}
	}
	return lost, doubled
}

// member is a user whose requests go through the balancer.
type member struct {
	*harness.Server
	c     *cluster
	queue string
	last  int64 // last event ID
	got   []int64
	gaps  *gaps // also receives the acknowledgements of this member; may be nil
}

// join creates an account, logs in and uses the account immediately, each time on another node.
func (c *cluster) join(i int) *member {
	c.t.Helper()
	mail, password := fmt.Sprintf("p%d@example.com", i), "correct-horse-battery"
	c.owner.Must("POST", "/users", url.Values{"email": {mail}, "full_name": {fmt.Sprint("Person ", i)},
		"password": {password}})
	p := &member{Server: &harness.Server{T: c.t, URL: c.front.URL, Mail: mail}, c: c}
	login := p.Must("POST", "/fetch_api_key", url.Values{"username": {mail}, "password": {password}})
	p.Key = login["api_key"].(string)
	for range 3 {
		p.Must("GET", "/users/me", nil)
		p.Key = p.Must("POST", "/users/me/api_key/regenerate", nil)["api_key"].(string)
	}
	p.Must("POST", "/users/me/subscriptions", url.Values{"subscriptions": {`[{"name":"proof"}]`}})
	reg := p.Must("POST", "/register", url.Values{"event_types": {`["message"]`}, "fetch_event_types": {`["message"]`}})
	p.queue, p.last = reg["queue_id"].(string), harness.Int(reg["last_event_id"])
	return p
}

// until repeats a request until there is a response. It returns false if the request was refused.
func (p *member) until(method, path string, params url.Values) (map[string]any, bool) {
	for failures := 1; ; failures++ {
		out, err := p.Call(method, path, params)
		switch {
		case err != nil && (p.c.strict || p.c.retries > 0 && failures > p.c.retries):
			p.c.refuse(method+" "+path, err)
			return nil, false
		case err != nil:
			time.Sleep(20 * time.Millisecond) // a client's pause before retrying
		case out["result"] == "success":
			return out, true
		default:
			p.c.refuse(method+" "+path, out)
			return nil, false
		}
	}
}

func (p *member) send(ctx context.Context) {
	for i := 0; ctx.Err() == nil; i++ {
		content := fmt.Sprintf("%s %d", p.Mail, i)
		out, ok := p.until(http.MethodPost, "/messages", url.Values{"type": {"stream"}, "to": {`"proof"`}, "topic": {"t"},
			"content": {content}, "queue_id": {p.queue}, "local_id": {fmt.Sprint(i)}})
		if !ok {
			return
		}
		p.c.ack(content, harness.Int(out["id"]))
		p.c.all.mark()
		p.gaps.mark()
		time.Sleep(10 * time.Millisecond) // like users, and to spare the machine
	}
}

// poll takes messages from the queue until one has the topic "end".
func (p *member) poll() {
	for {
		out, ok := p.until(http.MethodGet, "/events",
			url.Values{"queue_id": {p.queue}, "last_event_id": {fmt.Sprint(p.last)}})
		if !ok {
			return
		}
		events, _ := out["events"].([]any)
		for _, e := range events {
			event := e.(map[string]any)
			p.last = harness.Int(event["id"])
			m, _ := event["message"].(map[string]any)
			switch m["subject"] {
			case "t":
				p.got = append(p.got, harness.Int(m["id"]))
			case "end":
				return
			}
		}
	}
}

// lockOut closes all connections to a node's database and refuses new ones for a while.
func lockOut(t *testing.T, n *harness.Server, d time.Duration) {
	t.Helper()
	at, err := url.Parse(n.Variable("STOA_DATABASE_URL"))
	if err != nil {
		t.Fatal(err)
	}
	name := strings.TrimPrefix(at.Path, "/")
	db, err := sql.Open("pgx", os.Getenv("STOA_TEST_POSTGRES_URL"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	do := func(q string, args ...any) {
		if _, err := db.Exec(q, args...); err != nil {
			t.Fatal(err)
		}
	}
	do("ALTER DATABASE " + name + " ALLOW_CONNECTIONS false")
	do("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1", name)
	time.Sleep(d)
	do("ALTER DATABASE " + name + " ALLOW_CONNECTIONS true")
}
