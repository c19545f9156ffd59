package channels_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/modules/channels"
	"github.com/stoachat/stoa/modules/events"
)

// folders summarizes the folders shown to a user and checks that the list and /register agree.
func folders(s *kittest.Server, as string) string {
	s.T.Helper()
	a := s.As(as).Do("GET /channel_folders", "include_archived", "true").OK()
	if reg := s.As(as).Do("POST /register", "event_types", `["channel_folders"]`, "fetch_event_types",
		`["channel_folders"]`).OK(); kittest.JSON(reg.Get("channel_folders")) != kittest.JSON(a.Get("channel_folders")) {
		s.T.Errorf("register: %s\nlist: %s", kittest.JSON(reg.Get("channel_folders")), kittest.JSON(a.Get("channel_folders")))
	}
	var all []string
	for _, f := range a.Get("channel_folders").([]any) {
		m := f.(map[string]any)
		text := fmt.Sprint(m["name"])
		if m["is_archived"] == true {
			text += " (archived)"
		}
		all = append(all, text)
	}
	return strings.Join(all, ", ")
}

func TestFolders(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		s := kittest.StartWith(t, kittest.Options{DatabaseURL: url}, channels.Module, events.Module)
		adam, at := s.As("adam"), s.Clock.Now().Unix()
		create := func(name, description string) *kittest.Response {
			return adam.Do("POST /channel_folders/create", "name", name, "description", description)
		}
		patch := func(id int64, params ...string) *kittest.Response {
			return adam.Do(fmt.Sprintf("PATCH /channel_folders/%d", id), params...)
		}
		wants := func(want string) {
			t.Helper()
			for _, who := range []string{"adam", "guest", "bot"} {
				if got := folders(s, who); got != want {
					t.Errorf("%s reads %q, want %q", who, got, want)
				}
			}
		}
		wants("")
		s.Skip()
		a := create(" Work ", "*all* of it").OK().Int("channel_folder_id")
		s.Events(fmt.Sprintf(`channel_folder/add everyone {"channel_folder":{"id":%d,"name":"Work","description":"*all* of it",
			"rendered_description":"<p><em>all</em> of it</p>","order":0,"creator_id":%d,"date_created":%d,"is_archived":false}}`, a, s.UserID("adam"), at))
		b, c := create("Play", "").OK().Int("channel_folder_id"), create("Rest", "").OK().Int("channel_folder_id")
		s.Skip()
		wants("Work, Play, Rest")

		// Refused requests change nothing.
		for _, who := range []string{"mona", "alice", "guest", "bot"} {
			s.As(who).Do("POST /channel_folders/create", "name", "x", "description", "").Error(400, "UNAUTHORIZED_PRINCIPAL",
				"Must be an organization administrator")
			s.As(who).Do(fmt.Sprintf("PATCH /channel_folders/%d", a), "name", "x").Error(400, "UNAUTHORIZED_PRINCIPAL",
				"Must be an organization administrator")
			s.As(who).Do("PATCH /channel_folders", "order", kittest.JSON([]int64{c, b, a})).Error(400, "UNAUTHORIZED_PRINCIPAL",
				"Must be an organization administrator")
		}
		s.Anonymous().Do("GET /channel_folders").Error(401, "UNAUTHORIZED", "Not logged in")
		for _, refused := range []struct {
			a    *kittest.Response
			want string
		}{
			{create(" wORK", ""), "Channel folder name already in use"},
			{create("  ", ""), "Channel folder name can't be empty."},
			{create(strings.Repeat("ä", 61), ""), "name is too long (limit: 60 characters)"},
			{create("a\x01b", ""), "Invalid character in channel folder name, at position 2."},
			{create("x", strings.Repeat("ä", 1025)), "description is too long (limit: 1024 characters)"},
			{patch(b, "name", "WORK"), "Channel folder name already in use"},
			{patch(b, "name", ""), "Channel folder name can't be empty."},
			{patch(9999, "name", "x"), "Invalid channel folder ID"},
			{adam.Do("PATCH /channel_folders", "order", kittest.JSON([]int64{a, b})), "Invalid order mapping."},
			{adam.Do("PATCH /channel_folders", "order", kittest.JSON([]int64{a, b, b})), "Invalid order mapping."},
			{adam.Do("PATCH /channel_folders", "order", kittest.JSON([]int64{a, b, c, 9999})), "Invalid order mapping."},
		} {
			refused.a.Error(400, "BAD_REQUEST", refused.want)
		}
		create("x", "").OK()
		s.Skip()
		patch(a).OK()
		patch(a, "name", "Work", "description", "*all* of it", "is_archived", "false").OK()
		s.NoEvents()

		patch(a, "name", "Labor", "description", "some").OK()
		s.Events(fmt.Sprintf(`channel_folder/update everyone {"channel_folder_id":%d,"data":{"name":"Labor",`+
			`"description":"some","rendered_description":"<p>some</p>"}}`, a))
		patch(a, "name", "labor").OK() // its own name in another case
		s.Skip()
		last := b + 2
		order := kittest.JSON([]int64{c, a, last, b})
		adam.Do("PATCH /channel_folders", "order", order).OK()
		s.Events(`channel_folder/reorder everyone {"order":` + order + `}`)
		adam.Do("PATCH /channel_folders", "order", order).OK()
		s.NoEvents()
		wants("Rest, labor, x, Play")
		patch(c, "is_archived", "true").OK()
		s.Events(fmt.Sprintf(`channel_folder/update everyone {"channel_folder_id":%d,"data":{"is_archived":true}}`, c))
		wants("Rest (archived), labor, x, Play")
		if got := kittest.JSON(s.As("bob").Do("GET /channel_folders").OK().Get("channel_folders.0.name")); got != `"labor"` {
			t.Errorf("without archived folders the first is %s", got)
		}
		again := create("rest", "").OK().Int("channel_folder_id") // the name is free again
		s.Skip()
		patch(c, "is_archived", "false").Error(400, "BAD_REQUEST", "Channel folder name already in use")
		s.NoEvents()
		_ = again
	})
}

// Moving channels into and out of folders.
func TestChannelsInFolders(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		s := kittest.StartWith(t, kittest.Options{DatabaseURL: url}, channels.Module, events.Module)
		adam, general := s.As("adam"), s.ChannelID("general")
		folder := adam.Do("POST /channel_folders/create", "name", "Work", "description", "").OK().Int("channel_folder_id")
		gone := adam.Do("POST /channel_folders/create", "name", "Gone", "description", "").OK().Int("channel_folder_id")
		adam.Do(fmt.Sprintf("PATCH /channel_folders/%d", gone), "is_archived", "true").OK()
		s.Skip()
		put := func(value string) *kittest.Response {
			return adam.Do(fmt.Sprintf("PATCH /streams/%d", general), "folder_id", value)
		}
		in := func() string {
			t.Helper()
			return kittest.JSON(s.As("bob").Do(fmt.Sprintf("GET /streams/%d", general)).OK().Get("stream.folder_id"))
		}
		for _, bad := range []string{"9999", "0", "-1", fmt.Sprint(gone)} {
			put(bad).Error(400, "BAD_REQUEST", "Invalid channel folder ID")
			s.As("alice").Do("POST /channels/create", "name", "new", "subscribers", "[]", "folder_id", bad).Error(400,
				"BAD_REQUEST", "Invalid channel folder ID")
			s.As("alice").Do("POST /users/me/subscriptions", "subscriptions", `[{"name":"new"}]`, "folder_id", bad).Error(400,
				"BAD_REQUEST", "Invalid channel folder ID")
		}
		s.As("bob").Do(fmt.Sprintf("PATCH /streams/%d", general), "folder_id", fmt.Sprint(folder)).Error(400,
			"CANNOT_ADMINISTER_CHANNEL", "")
		s.NoEvents()
		put(fmt.Sprint(folder)).OK()
		s.Events(fmt.Sprintf(`stream/update knowing:general {"stream_id":%d,"name":"general","property":"folder_id",`+
			`"value":%d}`, general, folder))
		put(fmt.Sprint(folder)).OK()
		s.NoEvents()
		if got := in(); got != fmt.Sprint(folder) {
			t.Errorf("folder %s", got)
		}
		adam.Do(fmt.Sprintf("PATCH /channel_folders/%d", folder), "is_archived", "true").Error(400, "BAD_REQUEST",
			"Only a folder without channels can be archived.")
		s.NoEvents()
		s.Restart()
		if got := in(); got != fmt.Sprint(folder) {
			t.Errorf("after a restart: folder %s", got)
		}
		s.Skip()
		put("null").OK()
		s.Events(fmt.Sprintf(`stream/update knowing:general {"stream_id":%d,"name":"general","property":"folder_id",`+
			`"value":null}`, general))
		s.As("alice").Do("POST /channels/create", "name", "new", "subscribers", "[]", "folder_id", fmt.Sprint(folder)).OK()
		if got := kittest.JSON(s.As("bob").Do("GET /streams").OK().Get("streams.1.folder_id")); got != fmt.Sprint(folder) {
			t.Errorf("the new channel is in %s", got)
		}
	})
}

// A folder cannot be archived while a channel is being added to it: one of the two requests is rejected.
func TestFolderRace(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		s := kittest.StartWith(t, kittest.Options{DatabaseURL: url}, channels.Module, events.Module)
		for i := range 5 {
			folder := s.As("adam").Do("POST /channel_folders/create", "name", fmt.Sprint("f", i), "description",
				"").OK().Int("channel_folder_id")
			channel := s.As("alice").Do("POST /channels/create", "name", fmt.Sprint("c", i), "subscribers", "[]").OK().Int("id")
			var put, archived *kittest.Response
			var all sync.WaitGroup
			all.Go(func() {
				put = s.As("adam").Do(fmt.Sprintf("PATCH /streams/%d", channel), "folder_id", fmt.Sprint(folder))
			})
			all.Go(func() {
				archived = s.As("olga").Do(fmt.Sprintf("PATCH /channel_folders/%d", folder), "is_archived", "true")
			})
			all.Wait()
			if (put.Status == 200) == (archived.Status == 200) {
				t.Errorf("%d: put %s, archived %s", i, put.Body, archived.Body)
			}
		}
	})
}
