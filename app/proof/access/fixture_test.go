package access_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stoachat/stoa/adapters/mail/mailtest"
	"github.com/stoachat/stoa/adapters/push/delivery/deliverytest"
	"github.com/stoachat/stoa/adapters/push/relay/pushtest"
	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/domain/group"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/standard"
)

// fixture is a server with all callers, and with the objects created for the tables.
type fixture struct {
	t         *testing.T
	s         *kittest.Server
	elsewhere realm.ID
	olga      *caller
	all       []*caller
	fields    map[string]string // values of placeholders
	shared    map[string]object
	n         int
	tokens    int // login tokens that were issued
	faults    map[*row]int
	push      *pushtest.Fake
}

const (
	inRealm = "127.0.0.1"
	there   = "there.127.0.0.1"
)

// config allows two realms and web-public channels.
const config = `
http: {url: "http://127.0.0.1", rate_limits: {enabled: false}}
modules:
  realm: {domain: 127.0.0.1}
  channels: {web_public_streams: true}
  oidc: {providers: [{id: corp, issuer: "http://127.0.0.1:1", client_id: stoa, client_secret: secret}]}
  saml: {providers: [{id: corp, metadata_url: "http://127.0.0.1:1/metadata"}]}
  headerlogin: {trusted_proxies: [127.0.0.1], secret: 0123456789abcdef}
  accounts: {password_memory_kib: 8, password_passes: 1}
  jwtlogin: {key: ` + tokenKey + `}
`

// tokenKey signs login tokens.
const tokenKey = "0123456789abcdef0123456789abcdef"

// settings lists settings of the callers' realm that differ from their defaults.
var settings = map[string]string{
	"waiting_period_threshold":                 "3",
	"can_create_public_channel_group":          fmt.Sprintf(`{"new":%d}`, group.Administrators),
	"can_create_private_channel_group":         fmt.Sprintf(`{"new":%d}`, group.FullMembers),
	"can_add_subscribers_group":                fmt.Sprintf(`{"new":%d}`, group.FullMembers),
	"can_create_groups":                        fmt.Sprintf(`{"new":%d}`, group.FullMembers),
	"can_set_topics_policy_group":              fmt.Sprintf(`{"new":%d}`, group.Moderators),
	"can_delete_own_message_group":             fmt.Sprintf(`{"new":%d}`, group.Members),
	"can_move_messages_between_channels_group": fmt.Sprintf(`{"new":%d}`, group.Moderators),
	"can_move_messages_between_topics_group":   fmt.Sprintf(`{"new":%d}`, group.Members),
	"enable_spectator_access":                  "true",
	"enable_read_receipts":                     "true",
}

// mails sets whether the server delivers email, which it initially does not.
func (w *fixture) mails(on bool) { w.s.Ports.Mailer.(*mailtest.Quiet).On.Store(on) }

// newFixture starts a server with all shipped modules except the given ones.
func newFixture(t *testing.T, log *slog.Logger, without ...string) *fixture {
	t.Helper()
	var ms []kit.Module
	for _, m := range standard.Modules() {
		if !slices.Contains(without, m.Name) && !slices.Contains([]string{"mail", "push", "delivery"}, m.Slot) {
			ms = append(ms, m)
		}
	}
	w := &fixture{push: &pushtest.Fake{Off: true}, t: t, fields: map[string]string{}, shared: map[string]object{},
		faults: map[*row]int{}, all: callers()}
	ms = append(ms, mailtest.QuietModule, w.push.Module(), deliverytest.Module, settingsModule)
	w.s = kittest.StartWith(t, kittest.Options{Config: config, Log: log}, ms...)
	w.s.Client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	w.olga = w.known("olga", user.Owner)
	for name, value := range settings {
		w.do("PATCH /realm", name, value)
	}
	w.must(w.s.Ports.Work.Do(t.Context(), func(ctx context.Context) (err error) {
		w.elsewhere, err = w.s.Ports.Realms.Create(ctx, "There", "there")
		return err
	}))
	w.people()
	w.names()
	lobby := w.open("lobby", w.all)
	w.fields["lobby"] = lobby.fields["id"]
	w.fields["moderation"] = w.open("moderation", nil, "invite_only", "true").fields["id"]
	w.do("PATCH /realm", "moderation_request_channel_id", w.fields["moderation"])
	w.s.Skip()
	return w
}

// people creates the callers. All except newcomers have joined ten days ago.
func (w *fixture) people() {
	w.t.Helper()
	for _, c := range w.all {
		if c.role != 0 && !c.newcomer {
			w.createAccount(c, strings.ReplaceAll(c.name, " ", ""))
		}
	}
	w.s.Clock.Advance(10 * 24 * time.Hour)
	w.createAccount(w.called("newcomer"), "newcomer")
	for _, c := range w.all {
		switch {
		case c.role == 0:
			c.at = w.s.Anonymous()
		case c.elsewhere:
			c.host = there
		case c.gone:
			w.do(fmt.Sprintf("DELETE /users/%d", c.id))
		}
	}
}

func (w *fixture) called(name string) *caller {
	w.t.Helper()
	i := slices.IndexFunc(w.all, func(c *caller) bool { return c.name == name })
	if i < 0 {
		w.t.Fatalf("no caller is called %q", name)
	}
	return w.all[i]
}

func (w *fixture) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// fresh returns an unused secret word.
func (w *fixture) fresh() string { w.n++; return fmt.Sprintf("zq%04d", w.n) }

// eachState calls each in every realm state that the callers need. Callers that depend on a realm-wide setting are
// tested separately.
func (w *fixture) eachState(each func(who []*caller)) {
	var plain, restricted, anonymous []*caller
	for _, c := range w.all {
		switch {
		case c.restricted:
			restricted = append(restricted, c)
		case c.role == 0 && !c.spectator:
			anonymous = append(anonymous, c)
		default:
			plain = append(plain, c)
		}
	}
	each(plain)
	w.do("PATCH /realm", "enable_spectator_access", "false")
	each(anonymous)
	w.do("PATCH /realm", "enable_spectator_access", "true", "can_access_all_users_group",
		fmt.Sprintf(`{"new":%d}`, group.Members))
	each(restricted)
	w.do("PATCH /realm", "can_access_all_users_group", fmt.Sprintf(`{"new":%d}`, group.Everyone))
}

// names sets the placeholders that are the same for all requests.
func (w *fixture) names() {
	for name, g := range map[string]group.ID{"everyone": group.Everyone, "members": group.Members,
		"moderators": group.Moderators, "nobody": group.Nobody} {
		w.fields[name] = fmt.Sprint(int64(g))
	}
	bob := w.known("bob", user.Member)
	w.fields["olga"], w.fields["olgamail"], w.fields["password"] = fmt.Sprint(w.olga.id), w.olga.mail, kittest.Password
	w.fields["gonemail"], w.fields["bobmail"] = w.called("deactivated").mail, bob.mail
	w.fields["bob"], w.fields["botid"] = fmt.Sprint(bob.id), fmt.Sprint(w.called("bot").id)
}
