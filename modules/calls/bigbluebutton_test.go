package calls_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/stoachat/stoa/adapters/outbound/call"
	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/accounts"
	"github.com/stoachat/stoa/modules/calls"
	"github.com/stoachat/stoa/modules/channels"
	"github.com/stoachat/stoa/modules/events"
	"github.com/stoachat/stoa/modules/groups"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/realm"
	"github.com/stoachat/stoa/ports"
)

const secret = "shared secret"

// bigBlueButton is a BigBlueButton server.
type bigBlueButton struct {
	*httptest.Server
	mu       sync.Mutex
	meetings map[string]url.Values // by ID
	response string                // to the next calls; "": what BigBlueButton returns
}

func startBigBlueButton(t *testing.T) *bigBlueButton {
	t.Helper()
	b := &bigBlueButton{meetings: map[string]url.Values{}}
	b.Server = httptest.NewServer(http.HandlerFunc(b.serve))
	t.Cleanup(b.Close)
	return b
}

func (b *bigBlueButton) serve(w http.ResponseWriter, r *http.Request) {
	b.mu.Lock()
	defer b.mu.Unlock()
	params, ok := verified("create", r.URL.RawQuery)
	before := b.meetings[params.Get("meetingID")]
	switch {
	case b.response == "redirect":
		http.Redirect(w, r, "/elsewhere", http.StatusFound)
	case b.response != "":
		fmt.Fprint(w, b.response)
	case r.Method != http.MethodGet || r.URL.Path != "/bigbluebutton/api/create":
		http.NotFound(w, r)
	case !ok:
		fmt.Fprint(w, `<response><returncode>FAILED</returncode><messageKey>checksumError</messageKey></response>`)
	case before != nil && before.Encode() != params.Encode():
		fmt.Fprint(w, `<response><returncode>FAILED</returncode><messageKey>idNotUnique</messageKey></response>`)
	default:
		b.meetings[params.Get("meetingID")] = params
		fmt.Fprint(w, `<response><returncode>SUCCESS</returncode><createTime>1531155809613</createTime></response>`)
	}
}

func (b *bigBlueButton) respond(response string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.response = response
}

// verified returns the parameters of a call, and whether its checksum is right.
func verified(call, query string) (url.Values, bool) {
	query, sum, _ := strings.Cut(query, "&checksum=")
	want := sha256.Sum256([]byte(call + query + secret))
	params, err := url.ParseQuery(query)
	return params, err == nil && sum == hex.EncodeToString(want[:])
}

// start starts a server that uses the BigBlueButton server at a URL.
func start(t *testing.T, address, key string) *kittest.Server {
	t.Helper()
	config := fmt.Sprintf("modules: {calls: {bigbluebutton_url: %q, bigbluebutton_secret: %q}, "+
		"realm: {domain: 127.0.0.1}, accounts: {password_memory_kib: 8, password_passes: 1}}\n"+
		"adapters: {webhooks: {use: http, networks: [127.0.0.1/32]}}\n", address, key)
	return kittest.StartWith(t, kittest.Options{Config: config},
		call.Module, realm.Module, groups.Module, accounts.Module, channels.Module, events.Module, calls.Module)
}

// link creates a call and returns the part of its link after the server's URL.
func link(s *kittest.Server, who string, params ...string) string {
	s.T.Helper()
	full := s.As(who).Do("GET /calls/bigbluebutton/create", params...).OK().String("url")
	path, ok := strings.CutPrefix(full, s.URL)
	if !ok || !strings.HasPrefix(path, "/calls/bigbluebutton/join?bigbluebutton=") {
		s.T.Fatalf("the link is %s", full)
	}
	return path
}

func open(c *kittest.Client, path string) *kittest.Response { return c.Under("").Do("GET " + path) }

// Users join the same meeting by its link: its creator as a moderator, others as viewers.
func TestBigBlueButton(t *testing.T) {
	b := startBigBlueButton(t)
	s := start(t, b.URL+"/bigbluebutton/", secret)
	path := link(s, "alice", "meeting_name", " general >\n"+strings.Repeat("é", 100), "voice_only", "true")
	if another := link(s, "alice", "meeting_name", "x"); another == path {
		t.Error("two calls have the same link")
	}
	passwords := map[string]string{}
	for who, want := range map[string][2]string{
		"alice": {"MODERATOR", "Alice"}, "bob": {"VIEWER", "Bob"}, "guest": {"VIEWER", "Gus Guest"},
	} {
		a := open(s.As(who), path)
		to := a.Header.Get("Location")
		query, ok := strings.CutPrefix(to, b.URL+"/bigbluebutton/api/join?")
		params, verified := verified("join", query)
		if a.Status != http.StatusFound || !ok || !verified {
			t.Fatalf("%s: %d, %s", who, a.Status, to)
		}
		meeting := b.meetings[params.Get("meetingID")]
		if params.Get("role") != want[0] || params.Get("fullName") != want[1] || meeting == nil ||
			params.Get("createTime") != "1531155809613" {
			t.Errorf("%s joins with %v", who, params)
		}
		passwords[want[0]] = params.Get("password")
	}
	if len(b.meetings) != 1 {
		t.Fatalf("meetings: %v", b.meetings)
	}
	for id, m := range b.meetings {
		if m.Get("name") != "general > "+strings.Repeat("é", 54) || m.Get("lockSettingsDisableCam") != "true" ||
			len(id) < 20 || m.Get("moderatorPW") != passwords["MODERATOR"] || m.Get("attendeePW") != passwords["VIEWER"] ||
			passwords["MODERATOR"] == passwords["VIEWER"] {
			t.Errorf("the meeting is %v, and the passwords %v", m, passwords)
		}
	}
	s.NoEvents()
}

// Only users of the organization can open a link, and only unmodified.
func TestBigBlueButtonAccess(t *testing.T) {
	b := startBigBlueButton(t)
	s := start(t, b.URL+"/bigbluebutton", secret)
	path := link(s, "guest", "meeting_name", "call")
	link(s, "bot", "meeting_name", "call")
	s.Anonymous().Do("GET /calls/bigbluebutton/create", "meeting_name", "call").Error(401, "UNAUTHORIZED", "")
	s.As("alice").Do("GET /calls/bigbluebutton/create", "meeting_name", strings.Repeat("é", 501)).
		Error(400, "BAD_REQUEST", "meeting_name is too long (limit: 500 characters)")

	open(s.Anonymous(), path).Error(401, "UNAUTHORIZED", "")
	if a := open(s.As("bot"), path); a.Status != http.StatusBadRequest {
		t.Errorf("a bot: %d %s", a.Status, a.Body)
	}
	for _, bad := range []string{path[:len(path)-1], path + "A", strings.Replace(path, "=1.", "=1.A", 1),
		"/calls/bigbluebutton/join?bigbluebutton=x"} {
		open(s.As("alice"), bad).Error(400, "BAD_REQUEST", "Invalid signature.")
	}
	other := cynic(s)
	open(other, path).Error(400, "BAD_REQUEST", "Invalid signature.")
	if len(b.meetings) != 0 {
		t.Errorf("meetings: %v", b.meetings)
	}
}

// Users see why BigBlueButton does not create a meeting.
func TestBigBlueButtonFails(t *testing.T) {
	b := startBigBlueButton(t)
	s := start(t, b.URL+"/bigbluebutton", "another secret")
	path := link(s, "alice", "meeting_name", "call")
	fails := func(why string) {
		t.Helper()
		open(s.As("alice"), path).Error(400, "BAD_REQUEST", why)
	}
	fails("The BigBlueButton server does not accept this server's secret.")
	for _, response := range []string{
		"redirect", "not XML", "<response/>", "<response><returncode>FAILED</returncode></response>",
	} {
		b.respond(response)
		fails("The BigBlueButton server returned an unexpected error.")
	}
	b.respond("<response><returncode>SUCCESS</returncode></response>" + strings.Repeat(" ", 300<<10))
	fails("The BigBlueButton server returned an unexpected error.")
	b.Close()
	fails("The BigBlueButton server cannot be reached. Please try again later.")
}

// Organizations can choose BigBlueButton only if the server has it.
func TestBigBlueButtonChoice(t *testing.T) {
	s := start(t, "https://bbb.example.com/bigbluebutton/", secret)
	s.As("adam").Do("PATCH /realm", "video_chat_provider", "4").OK()
	a := s.As("alice").Do("POST /register", "fetch_event_types", `["realm"]`, "event_types", "[]").OK()
	if a.Int("realm_available_video_chat_providers.big_blue_button.id") != 4 {
		t.Error("BigBlueButton is not offered")
	}
	without := kittest.Start(t, realm.Module, calls.Module)
	without.As("adam").Do("PATCH /realm", "video_chat_provider", "4").
		Error(400, "BAD_REQUEST", "Invalid video_chat_provider")
	open(without.As("alice"), "/calls/bigbluebutton/join?bigbluebutton=x").
		Error(400, "BAD_REQUEST", "BigBlueButton is not configured.")
}

func TestConfig(t *testing.T) {
	for _, c := range []struct{ url, secret, key string }{
		{"", "", ""},
		{"https://bbb.example.com/bigbluebutton/", "x", ""},
		{"https://bbb.example.com/bigbluebutton/", "", "bigbluebutton_secret"},
		{"", "x", "bigbluebutton_url"},
		{"bbb.example.com", "x", "bigbluebutton_url"},
		{"ftp://bbb.example.com/", "x", "bigbluebutton_url"},
		{"https://u:p@bbb.example.com/", "x", "bigbluebutton_url"},
		{"https://bbb.example.com/?a=b", "x", "bigbluebutton_url"},
	} {
		err := calls.Config{BigBlueButtonURL: c.url, BigBlueButtonSecret: kit.Secret(c.secret)}.Validate()
		if (err == nil) != (c.key == "") || err != nil && !strings.HasPrefix(err.Error(), c.key+":") {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// cynic creates a second organization and returns its owner.
func cynic(s *kittest.Server) *kittest.Client {
	s.T.Helper()
	var key string
	s.Do(func(ctx context.Context) error {
		id, err := s.Ports.Realms.Create(ctx, "Cynics", "cynics")
		if err != nil {
			return err
		}
		by := user.Actor{Realm: id, System: true}
		owner, err := s.Ports.Accounts.Create(ctx, by,
			ports.NewUser{Email: "dio@example.com", FullName: "Dio", Role: user.Owner})
		if err != nil {
			return err
		}
		key, err = s.Ports.Accounts.IssueKey(ctx, by, owner)
		return err
	})
	return s.WithKey("dio@example.com", key).At("cynics.127.0.0.1")
}
