package mailin_test

import (
	"bufio"
	"fmt"
	"net"
	"net/smtp"
	"strings"
	"testing"
	"time"

	"github.com/stoachat/stoa/adapters/blob/disk"
	"github.com/stoachat/stoa/adapters/images"
	"github.com/stoachat/stoa/adapters/mail/inbound"
	"github.com/stoachat/stoa/adapters/mail/log"
	"github.com/stoachat/stoa/adapters/mail/mailtest"
	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/app/kittest/testrun"
	"github.com/stoachat/stoa/modules/accounts"
	"github.com/stoachat/stoa/modules/channels"
	"github.com/stoachat/stoa/modules/events"
	"github.com/stoachat/stoa/modules/groups"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/mail"
	"github.com/stoachat/stoa/modules/mailin"
	"github.com/stoachat/stoa/modules/mailnotify"
	"github.com/stoachat/stoa/modules/messages"
	"github.com/stoachat/stoa/modules/notifications"
	"github.com/stoachat/stoa/modules/realm"
	"github.com/stoachat/stoa/modules/topics"
	"github.com/stoachat/stoa/modules/uploads"
)

func modules(mailer kit.Module) []kit.Module {
	return []kit.Module{
		realm.Module,
		accounts.Module,
		groups.Module,
		channels.Module,
		messages.Module,
		events.Module,
		topics.Module,
		notifications.Module,
		mail.Module,
		mailer,
		mailnotify.Module,
		inbound.Module,
		uploads.Module,
		disk.Module,
		images.Module,
	}
}

func TestModule(t *testing.T) { kittest.Check(t, mailin.Module, modules(log.Module)...) }

// server is a server that receives email.
type server struct {
	*kittest.Server
	mails *mailtest.Fake
	addr  string
}

func open(t *testing.T, database string) *server {
	t.Helper()
	return openWith(t, database, "timeout: 1m")
}

func openWith(t *testing.T, database, settings string) *server {
	t.Helper()
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w := &server{mails: &mailtest.Fake{}, addr: free.Addr().String()}
	_ = free.Close()
	w.Server = kittest.StartWith(t, kittest.Options{DatabaseURL: database, Config: fmt.Sprintf(`
http: {url: https://chat.example.com}
modules: {channels: {email_gateway_pattern: "%%s@chat.example.com"}}
adapters: {incoming: {use: smtp, addr: %q, domain: chat.example.com, max_bytes: 65536, %s}}
`, w.addr, settings)}, append(modules(w.mails.Module()), mailin.Module)...)
	go func() { _ = w.App.RunJob(t.Context(), "mailin.receive emails") }()
	testrun.Await(t, "connection to the mail server", func() bool {
		c, err := net.Dial("tcp", w.addr)
		if err == nil {
			_ = c.Close()
		}
		return err == nil
	})
	return w
}

// address sends a message from alice to bob, and returns the reply address of the resulting email.
func (w *server) address(params ...string) string {
	w.T.Helper()
	w.As("alice").Do("POST /messages", params...).OK()
	w.Skip()
	w.RunJob("notifications.judge notifications")
	w.Clock.Advance(3 * time.Minute)
	w.RunJob("mailnotify.missed messages")
	w.RunJob("mail.send_mails")
	for _, m := range w.mails.Received() {
		if m.To == "bob@example.com" && strings.HasSuffix(m.ReplyTo, "@chat.example.com") &&
			strings.Contains(m.Text, "also reply to this email") {
			return m.ReplyTo
		}
	}
	w.T.Fatal("no email can be replied to")
	return ""
}

// reply sends an email and returns the error if it was refused.
func (w *server) reply(envelope, from, to, body string, header ...string) string {
	w.T.Helper()
	text := fmt.Sprintf("From: Bob <%s>\r\nTo: %s\r\n", from, to)
	if len(header) == 0 || !strings.HasPrefix(header[0], "Subject:") {
		text += "Subject: Re: x\r\n"
	}
	for _, h := range header {
		text += h + "\r\n"
	}
	err := smtp.SendMail(w.addr, nil, envelope, []string{to}, []byte(text+"\r\n"+strings.ReplaceAll(body, "\n", "\r\n")))
	if err == nil {
		return ""
	}
	return strings.ReplaceAll(err.Error(), `"`, "")
}

const bob = "bob@example.com"

// TestReplies checks that a reply becomes a message in the conversation, without quoted text.
func TestReplies(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, database string) {
		w := open(t, database)
		posted := func(want string) {
			t.Helper()
			all := w.As("alice").Do("GET /messages", "anchor", "newest", "num_before", "1", "num_after", "0",
				"apply_markdown", "false").OK()
			last := all.Get("messages").([]any)[0].(map[string]any)
			got := fmt.Sprint(last["sender_email"], " ", last["type"], " ", last["subject"], ": ", last["content"])
			if !strings.HasSuffix(got, want) || fmt.Sprint(last["sender_id"]) != fmt.Sprint(w.UserID("bob")) {
				t.Errorf("the last message is %s, want %s", got, want)
			}
		}
		direct := w.address("type", "direct", "to", fmt.Sprintf("[%d]", w.UserID("bob")), "content", "well?")
		if why := w.reply(bob, bob, direct, "*yes*\n\nOn Monday, Alice wrote:\n> well?\n"); why != "" {
			t.Fatal(why)
		}
		posted("private : *yes*")
		channel := w.address("type", "channel", "to", "general", "topic", "lunch", "content", "@**Bob** soup?")
		if why := w.reply(
			bob,
			"BOB@example.com",
			strings.ToUpper(channel),
			"--b\nContent-Type: text/plain; charset=iso-8859-1\n"+
				"Content-Transfer-Encoding: quoted-printable\n\nS=FCppchen\n-- \nBob\n"+
				"--b\nContent-Type: text/html\n\n<b>no</b>\n--b--\n",
			"MIME-Version: 1.0",
			"Content-Type: multipart/alternative; boundary=b",
		); why != "" {
			t.Fatal(why)
		}
		posted("stream lunch: Süppchen")
		why := w.reply(bob, bob, channel, "<p>no <b>soup</b></p><div>Alice wrote:</div><blockquote>soup?</blockquote>",
			"Content-Type: text/html")
		if why != "" {
			t.Fatal(why)
		}
		posted("stream lunch: no **soup**")
	})
}

// TestDeliveredTwice checks that an email is posted once if the mail server delivers it again because it got no
// response.
func TestDeliveredTwice(t *testing.T) {
	w := open(t, kittest.Memory)
	to := w.address("type", "channel", "to", "general", "topic", "lunch", "content", "@**Bob** soup?")
	w.Skip()
	for _, id := range []string{"<1@example.com>", "<1@example.com>", "<2@example.com>"} {
		if why := w.reply(bob, bob, to, "yes", "Message-ID: "+id); why != "" {
			t.Fatal(why)
		}
	}
	if n := len(w.Log()); n != 2 {
		t.Errorf("two mails became %d messages", n)
	}
}

// TestBrokenConnection checks that an email is not refused permanently if the connection breaks or is too slow, so that
// the mail server delivers it again.
func TestBrokenConnection(t *testing.T) {
	w := openWith(t, kittest.Memory, "timeout: 1s")
	to := w.address("type", "channel", "to", "general", "topic", "lunch", "content", "@**Bob** soup?")
	w.Skip()
	c, err := net.Dial("tcp", w.addr)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	lines := bufio.NewReader(c)
	for _, command := range []string{"", "EHLO x", "MAIL FROM:<" + bob + ">", "RCPT TO:<" + to + ">", "DATA"} {
		if command != "" {
			_, _ = fmt.Fprint(c, command+"\r\n")
		}
		for more := true; more; {
			line, err := lines.ReadString('\n')
			if err != nil || line[0] > '3' {
				t.Fatalf("%s: %q %v", command, line, err)
			}
			more = line[3] == '-'
		}
	}
	_, _ = fmt.Fprint(c, "From: "+bob+"\r\n\r\nhello\r\n") // and nothing more
	if line, err := lines.ReadString('\n'); err == nil && !strings.HasPrefix(line, "4") {
		t.Errorf("the mail server got %q", line)
	}
	w.NoEvents()
}

// TestRefusals checks that email from strangers and programs, and malformed or oversized email, is not posted, and that
// all invalid addresses get the same error.
func TestRefusals(t *testing.T) {
	w := open(t, kittest.Memory)
	to := w.address("type", "channel", "to", "general", "topic", "lunch", "content", "@**Bob** soup?")
	newest := func() any {
		return w.As("olga").
			Do("GET /messages", "anchor", "newest", "num_before", "1", "num_after", "0").
			OK().
			Get("messages.0.id")
	}
	before := newest()
	none := "550 5.1.1 There is no such address."
	id, proof, _ := strings.Cut(strings.TrimSuffix(to, "@chat.example.com"), "-")
	for _, bad := range []string{
		"x@chat.example.com", "reply+1-x@chat.example.com", id + "-" + strings.Repeat("a", len(proof)) + "@chat.example.com",
		"reply+zz-" + proof + "@chat.example.com", strings.Replace(to, "chat.", "mail.", 1),
	} {
		if why := w.reply(bob, bob, bad, "hello"); why != none {
			t.Errorf("%s: %s", bad, why)
		}
	}
	for want, why := range map[string]string{
		"550 5.7.1 Reply from the address of your account.":   w.reply(bob, "mallory@example.com", to, "hello"),
		"550 5.7.1 The reply is empty except for quotations.": w.reply(bob, bob, to, "> soup?\n"),
		"550 5.7.1 The email has no text.":                    w.reply(bob, bob, to, "<img>", "Content-Type: text/html"),
		"550 5.6.0 The email is malformed.":                   w.reply(bob, "bob@", to, "hello"),
		"552 5.3.4 Maximum message size exceeded":             w.reply(bob, bob, to, strings.Repeat("hello\n", 20000)),
	} {
		if why != want {
			t.Errorf("%s, want %s", why, want)
		}
	}
	for _, h := range []string{"Auto-Submitted: auto-replied", "Precedence: bulk", "List-Id: <x>"} {
		if why := w.reply(bob, bob, to, "I am away", h); why != "" {
			t.Errorf("%s: %s", h, why)
		}
	}
	if why := w.reply("", bob, to, "could not be delivered"); why != "" {
		t.Errorf("a bounce: %s", why)
	}
	deep := "--0\nContent-Type: multipart/mixed; boundary=1\n\n"
	for i := 1; i < 500; i++ {
		deep += fmt.Sprintf("--%d\nContent-Type: multipart/mixed; boundary=%d\n\n", i, i+1)
	}
	if why := w.reply(
		bob,
		bob,
		to,
		deep,
		"Content-Type: multipart/mixed; boundary=0",
	); why != "550 5.6.0 The email is malformed." {
		t.Errorf("a mail with deeply nested parts: %s", why)
	}
	if after := newest(); fmt.Sprint(after) != fmt.Sprint(before) {
		t.Errorf("message %v was posted after %v", after, before)
	}

	for range 20 {
		if why := w.reply(bob, bob, to, "again"); why != "" {
			t.Fatal(why)
		}
	}
	if why := w.reply(bob, bob, to, "too often"); why != "451 4.3.0 Please try again later." {
		t.Errorf("too many replies: %s", why)
	}
	w.Clock.Advance(time.Minute)

	w.As("olga").Do(fmt.Sprintf("DELETE /users/%d", w.UserID("bob"))).OK()
	if why := w.reply(bob, bob, to, "hello"); why != none {
		t.Errorf("a deactivated account: %s", why)
	}
	w.As("olga").Do(fmt.Sprintf("POST /users/%d/reactivate", w.UserID("bob"))).OK()
	if why := w.reply(bob, bob, to, "hello"); why != "" {
		t.Errorf("the account is back: %s", why)
	}
	w.Clock.Advance(61 * 24 * time.Hour)
	if why := w.reply(bob, bob, to, "hello"); why != none {
		t.Errorf("after two months: %s", why)
	}
	w.RunJob("mailin.old reply addresses")
	if why := w.reply(bob, bob, to, "hello"); why != none {
		t.Errorf("after it was deleted: %s", why)
	}
}
