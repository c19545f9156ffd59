package exports_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stoachat/stoa/adapters/blob/disk"
	"github.com/stoachat/stoa/adapters/images"
	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/modules/accounts"
	"github.com/stoachat/stoa/modules/channels"
	"github.com/stoachat/stoa/modules/events"
	"github.com/stoachat/stoa/modules/exports"
	"github.com/stoachat/stoa/modules/groups"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/messages"
	"github.com/stoachat/stoa/modules/realm"
	"github.com/stoachat/stoa/modules/uploads"
)

func dependencies() []kit.Module {
	return []kit.Module{
		realm.Module, accounts.Module, groups.Module, channels.Module, messages.Module, uploads.Module,
		events.Module, images.Module,
	}
}

func TestModule(t *testing.T) {
	kittest.Check(t, exports.Module, append(dependencies(), disk.Module)...)
}

func start(t *testing.T) *kittest.Server {
	t.Helper()
	return kittest.Start(t, append(dependencies(), disk.Module, exports.Module)...)
}

// An export is requested, written, downloaded in ranges, and deleted; administrators are notified of each step.
func TestExport(t *testing.T) {
	s := start(t)
	adam, olga := s.As("adam"), s.As("olga")
	q := olga.Register("event_types", `["realm_export"]`)
	members := s.As("alice").Register("event_types", `["realm_export"]`)
	id := adam.Do("POST /export/realm").OK().Int("id")
	entry := func(rest string) string {
		return fmt.Sprintf(
			`{"id":%d,"acting_user_id":%d,"export_time":1780315200,"export_type":"public",%s}`,
			id,
			s.UserID("adam"),
			rest,
		)
	}
	event := func(rest string) string {
		return `{"type":"realm_export","exports":[` + entry(rest) + `]}`
	}
	const never = `"deleted_timestamp":null,"failed_timestamp":null`
	pending := `"pending":true,"export_url":null,` + never
	adam.Do("GET /export/realm").Is(200, `{"result":"success","msg":"","exports":[`+entry(pending)+`]}`)
	adam.Do(fmt.Sprintf("DELETE /export/realm/%d", id)).Error(400, "BAD_REQUEST", "The export is still being written")
	q.Is(event(pending))
	s.RunJob("exports.write")
	ready := `"pending":false,"export_url":"*",` + never
	q.Is(event(ready))
	whole := download(t, s, olga, id)
	if about := unpack(t, whole).about; about["export_type"] != "public" || about["organization"] == "" {
		t.Errorf("%v", about)
	}
	url := adam.Do("GET /export/realm").OK().String("exports.0.export_url")
	if !strings.HasPrefix(url, s.URL+"/exports/") || !strings.HasSuffix(url, "/export-2026-06-01-public.tar.gz") {
		t.Errorf("the address is %s", url)
	}
	path := strings.TrimPrefix(url, s.URL)
	for name, want := range map[string]int{"adam": 200, "olga": 200, "mona": 400, "alice": 400, "guest": 400} {
		if a := s.As(name).Under("").Do("GET " + path); a.Status != want {
			t.Errorf("%s: %d %s", name, a.Status, a.Body)
		}
	}
	s.Anonymous().Under("").Do("GET "+path).Error(401, "UNAUTHORIZED", "")
	adam.Under("").Do("GET "+path+"x").Error(404, "NOT_FOUND", "There is no such file")

	adam.Do(fmt.Sprintf("DELETE /export/realm/%d", id)).OK()
	gone := `"pending":false,"export_url":null,"deleted_timestamp":1780315200,"failed_timestamp":null`
	q.Is(event(gone))
	adam.Under("").Do("GET "+path).Error(404, "NOT_FOUND", "There is no such file")
	s.RunJob("exports.remove")
	adam.Do("GET /export/realm").Is(200, `{"result":"success","msg":"","exports":[`+entry(gone)+`]}`)
	adam.Do(fmt.Sprintf("DELETE /export/realm/%d", id)).Error(400, "BAD_REQUEST", "The export has already been deleted")
	adam.Do("DELETE /export/realm/99").Error(400, "BAD_REQUEST", "Invalid export ID")
	members.Is()
}

func TestLimits(t *testing.T) {
	s := start(t)
	adam := s.As("adam")
	adam.Do("POST /export/realm", "export_type", "all").Error(400, "BAD_REQUEST", "Invalid export_type")
	adam.Do("POST /export/realm", "export_type", "full_without_consent").Error(400, "BAD_REQUEST",
		"This organization does not allow exports of private data without the consent of its users")
	for range 5 {
		s.Clock.Advance(time.Hour)
		adam.Do("POST /export/realm", "export_type", "2").OK()
	}
	adam.Do("POST /export/realm").Error(400, "BAD_REQUEST", "At most 5 exports can be made within 7 days")
	s.Clock.Advance(7*24*time.Hour - 4*time.Hour)
	adam.Do("POST /export/realm").OK()
	adam.Do("POST /export/realm").Error(400, "BAD_REQUEST", "At most 5 exports can be made within 7 days")

	// Archives expire.
	s.RunJob("exports.write")
	if a := adam.Do("GET /export/realm").OK(); a.String("exports.5.export_url") == "" ||
		a.Get("exports.5.deleted_timestamp") != nil {
		t.Error(a.Body)
	}
	s.Clock.Advance(30*24*time.Hour + time.Second)
	s.RunJob("exports.remove")
	if a := adam.Do("GET /export/realm").OK(); a.Get("exports.5.export_url") != nil ||
		a.Get("exports.5.deleted_timestamp") == nil {
		t.Error(a.Body)
	}
}

func TestConsents(t *testing.T) {
	s := start(t)
	adam, alice := s.As("adam"), s.As("alice")
	q := adam.Register("event_types", `["realm_export_consent"]`)
	members := alice.Register("event_types", `["realm_export_consent"]`)
	alice.Do("PATCH /settings", "allow_private_data_export", "true", "email_address_visibility", "4").OK()
	alice.Do("PATCH /settings", "allow_private_data_export", "true").OK()
	q.Is(fmt.Sprintf(`{"type":"realm_export_consent","user_id":%d,"consented":true}`, s.UserID("alice")))
	var want []string
	for _, name := range []string{"alice", "bob", "olga", "adam", "mona", "guest"} {
		consented, sees := "false", 1
		if name == "alice" {
			consented, sees = "true", 4
		}
		want = append(
			want,
			fmt.Sprintf(`{"user_id":%d,"consented":%s,"email_address_visibility":%d}`, s.UserID(name), consented, sees),
		)
	}
	adam.Do("GET /export/realm/consents").
		Is(200, `{"result":"success","msg":"","export_consents":[`+strings.Join(want, ",")+`]}`)
	alice.Do("PATCH /settings", "allow_private_data_export", "false").OK()
	q.Is(fmt.Sprintf(`{"type":"realm_export_consent","user_id":%d,"consented":false}`, s.UserID("alice")))
	members.Is()
}
