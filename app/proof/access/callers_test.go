package access_test

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/ports"
)

// caller is a user or client that makes requests, and one column of the tables.
type caller struct {
	name       string
	role       user.Role // 0: not logged in
	bot        user.BotType
	owner      string // the column of the bot's owner
	newcomer   bool   // younger than waiting_period_threshold
	restricted bool   // a guest, in a realm where guests can access only users who share a channel with them
	gone       bool   // deactivated
	elsewhere  bool   // the owner of another realm, who makes requests there with IDs of this one
	spectator  bool   // not logged in, in a realm that allows reading without login

	id   user.ID
	mail string
	at   *kittest.Client
	host string
}

// callers returns all columns. olga, another owner, is not among them: she creates and reverts what the tests need.
func callers() []*caller {
	return []*caller{
		{name: "owner", role: user.Owner},
		{name: "administrator", role: user.Admin},
		{name: "moderator", role: user.Moderator},
		{name: "member", role: user.Member},
		{name: "newcomer", role: user.Member, newcomer: true},
		{name: "guest", role: user.Guest},
		{name: "restricted guest", role: user.Guest, restricted: true},
		{name: "bot owner", role: user.Member},
		{name: "bot", role: user.Member, bot: user.GenericBot, owner: "bot owner"},
		{name: "webhook", role: user.Member, bot: user.IncomingWebhook, owner: "bot owner"},
		{name: "deactivated", role: user.Member, gone: true},
		{name: "other realm", role: user.Owner, elsewhere: true},
		{name: "spectator", spectator: true},
		{name: "anonymous"},
	}
}

func (c *caller) guest() bool { return c.role == user.Guest }
func (c *caller) admin() bool { return c.role != 0 && c.role <= user.Admin }

// full reports whether the caller is a member of role:fullmembers.
func (c *caller) full() bool { return c.role != 0 && c.role <= user.Member && !c.newcomer }

// inRealm reports whether the caller can have access to anything in the realm.
func (c *caller) inRealm() bool { return c.role != 0 && !c.gone && !c.elsewhere }

// known returns one of kittest's users.
func (w *fixture) known(name string, role user.Role) *caller {
	at := w.s.As(name)
	return &caller{name: name, role: role, id: w.s.UserID(name), mail: at.Email(), at: at}
}

// createAccount creates a caller's account and API key.
func (w *fixture) createAccount(c *caller, name string) {
	w.t.Helper()
	by := user.Actor{Realm: w.s.Realm, System: true, Client: "proof"}
	n := ports.NewUser{Email: name + "@proof.example.com", FullName: strings.ToUpper(name[:1]) + name[1:], Role: c.role,
		BotType: c.bot}
	if c.elsewhere {
		by.Realm = w.elsewhere
	}
	if c.gone {
		n.Password = kittest.Password
	}
	if c.owner != "" {
		n.BotOwner = w.called(c.owner).id
	}
	id, err := w.s.Ports.Accounts.Create(w.t.Context(), by, n)
	w.must(err)
	c.id, c.mail = id, n.Email
	w.logIn(c)
}

// logIn issues an API key to a caller.
func (w *fixture) logIn(c *caller) {
	w.t.Helper()
	by := user.Actor{Realm: w.s.Realm, System: true, Client: "proof"}
	if c.elsewhere {
		by.Realm = w.elsewhere
	}
	key, err := w.s.Ports.Accounts.IssueKey(w.t.Context(), by, c.id)
	w.must(err)
	c.at = w.s.WithKey(c.mail, key)
}

// ask sends "METHOD /path" with parameters to the host of the caller's realm.
func (w *fixture) ask(c *caller, call string, params ...string) *kittest.Response {
	w.t.Helper()
	form := url.Values{}
	for i := 0; i+1 < len(params); i += 2 {
		form.Add(params[i], params[i+1])
	}
	method, path, _ := strings.Cut(call, " ")
	var body io.Reader
	switch {
	case method != http.MethodGet:
		body = strings.NewReader(form.Encode())
	case len(form) > 0:
		path += "?" + form.Encode()
	}
	at := c.at
	if strings.HasPrefix(path, "mount ") {
		at, path = at.Under(""), strings.TrimPrefix(path, "mount ")
	}
	req := at.Request(method+" "+path, body)
	if body != nil {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	if c.host != "" {
		req.Host = c.host
	}
	return w.send(req, call)
}

func (w *fixture) send(req *http.Request, call string) *kittest.Response {
	w.t.Helper()
	res, err := w.s.Client.Do(req)
	if err != nil {
		w.t.Fatalf("%s: %v", call, err)
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		w.t.Fatalf("%s: read the response: %v", call, err)
	}
	return &kittest.Response{T: w.t, Call: call, Status: res.StatusCode, Header: res.Header, Body: string(text)}
}

// do sends a request as olga, who has every permission.
func (w *fixture) do(call string, params ...string) *kittest.Response {
	w.t.Helper()
	return w.ask(w.olga, call, params...).OK()
}

// ids returns the IDs of the callers in the realm as JSON.
func ids(who []*caller) string {
	var b strings.Builder
	for _, c := range who {
		if c.inRealm() {
			fmt.Fprintf(&b, ",%d", c.id)
		}
	}
	return "[" + strings.TrimPrefix(b.String(), ",") + "]"
}
