package mailin_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
)

// posted returns the topic, sender and text of the newest message in the channel general.
func (w *server) posted() string {
	w.T.Helper()
	a := w.As(
		"olga",
	).Do(
		"GET /messages",
		"anchor",
		"newest",
		"num_before",
		"1",
		"num_after",
		"0",
		"apply_markdown",
		"false",
		"narrow",
		`[["channel","general"]]`,
	).OK()
	if !a.Has("messages.0") {
		return "nothing"
	}
	return fmt.Sprintf(
		"%s, %s: %s",
		a.String("messages.0.subject"),
		a.String("messages.0.sender_full_name"),
		a.String("messages.0.content"),
	)
}

func (w *server) channelAddress(who string, params ...string) string {
	w.T.Helper()
	return w.As(
		who,
	).Do(
		fmt.Sprintf("GET /streams/%d/email_address", w.ChannelID("general")),
		params...).OK().String(
		"email",
	)
}

const mallory = "mallory@example.org"

// TestChannelMail checks that email to the address of a channel is posted there, with the subject as the topic and
// without notifications.
func TestChannelMail(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, database string) {
		w := openWith(t, database, "timeout: 1m")
		to := w.channelAddress("alice")
		own := w.channelAddress("alice", "sender_id", fmt.Sprint(w.UserID("alice")))
		for _, c := range []struct{ to, subject, body, want string }{
			{to, "Lunch", "soup?\n-- \nM", "Lunch, Email Gateway: From: Bob <mallory@example.org>\n\nsoup?\n-- \nM"},
			{strings.ToUpper(to), "RE: Fwd: Lunch", "soup!", "Lunch, Email Gateway: From: Bob <mallory@example.org>\n\nsoup!"},
			{own, "", "x", "(no subject), Alice: From: Bob <mallory@example.org>\n\nx"},
			{strings.Replace(to, ".show-sender", ".include-quotes", 1), "x", "yes\n> why?", "x, Email Gateway: yes\n> why?"},
			{to, strings.Repeat("long ", 30), "x", "long long long long long long long long long long long lo..., *x"},
		} {
			if why := w.reply(mallory, mallory, c.to, c.body, "Subject: "+c.subject); why != "" {
				t.Fatal(why)
			}
			got := w.posted()
			begin, end, some := strings.Cut(c.want, "*")
			if got != c.want && (!some || !strings.HasPrefix(got, begin) || !strings.HasSuffix(got, end)) {
				t.Errorf("%s: %q, want %q", c.to, got, c.want)
			}
		}
		if why := w.reply(mallory, mallory, to, "@**all** @**Bob** #**secret** look", "List-Id: <news>"); why != "" {
			t.Fatal(why)
		}
		w.RunJob("notifications.judge notifications")
		a := w.As("bob").Do("GET /messages", "anchor", "newest", "num_before", "1", "num_after", "0").OK()
		if flags := fmt.Sprint(a.Get("messages.0.flags")); flags != "[]" {
			t.Errorf("a stranger's mail mentions users: flags %s", flags)
		}
	})
}

// TestChannelMailRefused checks that automatic replies are not posted, nor email to an address whose creator is no
// longer allowed to post, nor email beyond the rate limit.
func TestChannelMailRefused(t *testing.T) {
	w := open(t, kittest.Memory)
	to := w.channelAddress("bob")
	token := regexp.MustCompile(`[0-9a-f]{32}`)
	const none = "550 5.1.1 There is no such address."
	for _, bad := range []string{
		token.ReplaceAllString(to, strings.Repeat("0", 32)), strings.Replace(to, "@chat.", "@mail.", 1),
		"general@chat.example.com",
	} {
		if why := w.reply(mallory, mallory, bad, "hello"); why != none {
			t.Errorf("%s: %s", bad, why)
		}
	}
	before := w.posted()
	for _, h := range []string{"Auto-Submitted: auto-generated", "Precedence: auto_reply", "X-Autoreply: yes"} {
		if why := w.reply(mallory, mallory, to, "I am away", h); why != "" {
			t.Errorf("%s: %s", h, why)
		}
	}
	if why := w.reply("", mallory, to, "could not be delivered"); why != "" {
		t.Errorf("a bounce: %s", why)
	}
	if why := w.reply(mallory, mallory, to, "<p><img></p>", "Content-Type: text/html"); !strings.HasPrefix(why,
		"550 5.7.1") {
		t.Errorf("a page without text: %s", why)
	}
	if got := w.posted(); got != before {
		t.Errorf("posted %s", got)
	}
	for i := range 20 {
		if why := w.reply(mallory, mallory, to, fmt.Sprint("mail ", i)); why != "" {
			t.Fatal(why)
		}
	}
	if why := w.reply(mallory, mallory, to, "too many"); why != "451 4.3.0 Please try again later." {
		t.Errorf("too many: %s", why)
	}
	general := fmt.Sprint(w.ChannelID("general"))
	w.As(
		"olga",
	).Do(
		"PATCH /streams/"+general,
		"can_send_message_group",
		fmt.Sprintf(`{"new":{"direct_members":[%d],"direct_subgroups":[]}}`, w.UserID("alice")),
	).OK()
	if why := w.reply(mallory, mallory, to, "x"); why != none {
		t.Errorf("bob may no longer post: %s", why)
	}
	to = w.channelAddress("alice")
	w.As("olga").Do("DELETE /streams/" + general).OK()
	if why := w.reply(mallory, mallory, to, "x"); why != none {
		t.Errorf("an archived channel: %s", why)
	}
}

// TestAttachments checks that attachments are stored and linked in the message.
func TestAttachments(t *testing.T) {
	w := open(t, kittest.Memory)
	const with = "--b\nContent-Type: text/plain\n\nsee\n--b\nContent-Type: image/png; name=\"p.png\"\n" +
		"Content-Transfer-Encoding: base64\n\niVBORw0KGgo=\n" +
		"--b\nContent-Type: text/plain\nContent-Disposition: attachment; filename=\"../a[1].txt\"\n\nthe file\n--b\n" +
		"Content-Type: application/x-evil\nContent-Disposition: attachment\n\n\n--b--\n"
	mixed := []string{"MIME-Version: 1.0", "Content-Type: multipart/mixed; boundary=b"}
	links := regexp.MustCompile(`\[([^\]]*)\]\((/user_uploads/[^)]*)\)`)
	reply := w.address("type", "channel", "to", "general", "topic", "lunch", "content", "@**Bob** soup?")
	for to, from := range map[string]string{w.channelAddress("alice"): mallory, reply: bob} {
		if why := w.reply(from, from, to, with, mixed...); why != "" {
			t.Fatal(why)
		}
		found := links.FindAllStringSubmatch(w.posted(), -1)
		if len(found) != 3 || found[0][1] != "p.png" || !strings.HasSuffix(found[1][1], "a1.txt") ||
			found[2][1] != "attachment" {
			t.Fatalf("%s: %q", to, w.posted())
		}
		if a := w.As("bob").Under("").Do("GET " + found[1][2]); a.Status != 200 || strings.TrimSpace(a.Body) != "the file" {
			t.Errorf("%s: the file: %d %s", to, a.Status, a.Body)
		}
		if a := w.As(
			"adam",
		).Under(
			"",
		).Do(
			"GET " + found[2][2],
		); a.Status != 200 ||
			a.Header.Get("Content-Disposition") == "" {
			t.Errorf("a dangerous file type: %d %v", a.Status, a.Header)
		}
	}

	// A stranger who knows the URL of a file cannot share it in the name of the user who created the address.
	private := w.As("alice").Upload("POST /user_uploads", "private.txt", []byte("secret")).OK().String("url")
	if why := w.reply(mallory, mallory, w.channelAddress("alice"), "[x]("+private+")"); why != "" {
		t.Fatal(why)
	}
	if a := w.As("bob").Under("").Do("GET " + private); a.Status != 404 {
		t.Errorf("a private file: %d %s", a.Status, a.Body)
	}
}
