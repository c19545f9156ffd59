package mailin_test

import (
	"fmt"
	"net/smtp"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stoachat/stoa/app/kittest"
)

// deliver delivers an email of testdata, in which ADDRESS stands for its receiver, and returns the message it becomes.
func (w *server) deliver(name, to string) string {
	w.T.Helper()
	raw, err := os.ReadFile(filepath.Join("testdata", name+".eml"))
	if err != nil {
		w.T.Fatal(err)
	}
	return w.deliverText(name, string(raw), to)
}

func (w *server) deliverText(name, text, to string) string {
	w.T.Helper()
	from := "mallory@example.org"
	if strings.HasPrefix(text, "From: Bob") {
		from = bob
	}
	text = strings.ReplaceAll(strings.ReplaceAll(text, "ADDRESS", to), "\n", "\r\n")
	if err := smtp.SendMail(w.addr, nil, from, []string{to}, []byte(text)); err != nil {
		w.T.Errorf("%s: %v", name, err)
		return ""
	}
	w.Clock.Advance(4 * time.Second) // stay within the limit per minute
	_, posted, _ := strings.Cut(w.posted(), ": ")
	return uploaded.ReplaceAllString(posted, "(file)")
}

// uploaded matches the address of a stored file.
var uploaded = regexp.MustCompile(`\(/user_uploads/[^)]*\)`)

// TestRepliesOfMailClients checks that replies from real mail clients are posted without what they quote.
func TestRepliesOfMailClients(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, database string) {
		w := open(t, database)
		to := w.address("type", "channel", "to", "general", "topic", "lunch", "content", "@**Bob** soup?")
		for name, want := range map[string]string{
			"gmail":                "Yes, with *bread*.",
			"gmail-chinese":        "好的，我也要汤。",
			"gmail-html":           "Ja gerne\n\nBis gleich",
			"outlook-desktop":      "Gerne, ich nehme Spätzle.\n\nViele Grüße\nBob",
			"outlook-html":         "Oui, volontiers.\n\nÀ midi ?",
			"outlook-web":          "Ndiyo",
			"outlook-mobile":       "Yes please",
			"apple-mail":           "Yes!\n\nBob",
			"apple-mail-html":      "Sì!\n\n- pane\n- vino",
			"thunderbird-flowed":   "Oui, avec plaisir, et j'apporte du pain parce que la dernière fois il n'y en avait plus.",
			"yahoo":                "Yes, I am coming.",
			"yahoo-html":           "Nakuja",
			"proton":               "Yes.\n\nSent with Proton Mail secure email.",
			"exchange-activesync":  "Ano, přijdu.\n\nOdesláno z mého Samsung Galaxy",
			"related-quoted-image": "See [image001.png](file)",
			// What may be the sender's own is kept.
			"own-headers": "Take the ferry:\n\nFrom: Calais\nTo: Dover\nDeck: 4\n\n________________________________\n\n" +
				"Or the train.",
			"gmail-interleaved": "On Mon, Jun 1, 2026 at 12:00 PM Alice via Stoa <noreply@chat.example.com>\nwrote:\n\n" +
				"> soup?\n\nyes\n\n> bread?\n\nno",
		} {
			if got := w.deliver(name, to); got != want {
				t.Errorf("%s:\n%q, want\n%q", name, got, want)
			}
		}
	})
}

// TestNewMailsKeepEverything checks that nothing is removed from new and forwarded emails, and that HTML becomes
// Markdown.
func TestNewMailsKeepEverything(t *testing.T) {
	w := open(t, kittest.Memory)
	to := strings.Replace(w.channelAddress("alice"), ".show-sender", "", 1)
	for name, want := range map[string]string{
		"new-headers": "Your ferry:\n\nFrom: Calais\nTo: Dover\nDeck: 4",
		"new-rule":    "Kitchen\n________________________________\nGarden opens",
		"new-pasted": "They wrote:\n\nFrom: Vendor <sales@vendor.example>\nSent: Monday, June 1, 2026 09:00\n" +
			"To: Mallory <mallory@example.org>\nSubject: Offer\n\nTen chairs.\n\n" +
			"On Mon, Jun 1, 2026 at 9:00 AM Vendor <sales@vendor.example> wrote:\n> for 100",
		"new-dashes": "Steps\n--\n1. build\n2. ship",
		"forward-gmail": "Look at this.\n\n---------- Forwarded message ---------\nFrom: Vendor <sales@vendor.example>\n" +
			"Date: Mon, Jun 1, 2026 at 9:00 AM\nSubject: Offer\nTo: <mallory@example.org>\n\n\nTen chairs for 100.",
		"forward-outlook": "________________________________\nVon: Vendor <sales@vendor.example>\n" +
			"Gesendet: Montag, 1. Juni 2026 09:00\nAn: Mallory <mallory@example.org>\nBetreff: Angebot\n\nZehn Stühle für 100.",
		"html-build": "## Build failed\n\n[Log](https://ci.example.org/run/8)\n\n```\nstep one\n  step two\n```\n\n" +
			"CPU at 91%\n\n| Host | Load |\n|---|---|\n| a | 91% |\n\n- first\n- second\n\n  1. inner\n\n> quoted\n\n" +
			"`go test` and no link",
		"html-newsletter": "[Example](https://example.org/)\n\n# June\n\nThe garden **opens** on Monday.\n\n" +
			"[Visit us](https://example.org/visit?a=1&b=2)",
		"alternative-blank": "The *text*",
		"mixed-order":       "Before the plan.\n\n[plan.pdf](file)\n\nAfter the plan.\n\nAnd **more**.",
		"related-image": "The chart:\nLoad over time [chart.png](file)\nThe end.\n\n" +
			"[image.png](file)",
		"charset-japanese":       "スープはいかがですか。",
		"charset-chinese-page":   "喝汤吗？",
		"charset-wrong":          "Café “open” – 5 €",
		"charset-unknown":        "Grüße",
		"charset-declared-latin": "“It’s open”",
		"truncated":              "All of the text.\n\nAnd the beginning of another",
		"rare-files":             "Invitation\n\n[invitation.ics](file)\n[email.eml](file)\n[pä.txt](file)",
	} {
		if got := w.deliver(name, to); got != want {
			t.Errorf("%s:\n%q, want\n%q", name, got, want)
		}
	}
	if got := w.deliver("charset-japanese", to); !strings.HasPrefix(w.posted(), "昼食, ") {
		t.Errorf("a subject in Japanese: %s %s", w.posted(), got)
	}
}

// TestReplyToGroupWithDeactivatedUser checks that a reply to a conversation with a deactivated user reaches the others.
func TestReplyToGroupWithDeactivatedUser(t *testing.T) {
	w := open(t, kittest.Memory)
	to := w.address("type", "direct", "to",
		fmt.Sprintf("[%d,%d]", w.UserID("bob"), w.UserID("adam")), "content", "lunch?")
	w.As("olga").Do(fmt.Sprintf("DELETE /users/%d", w.UserID("adam"))).OK()
	if why := w.reply(bob, bob, to, "yes"); why != "" {
		t.Fatal(why)
	}
	newest := w.As("alice").Do("GET /messages", "anchor", "newest", "num_before", "1", "num_after", "0",
		"apply_markdown", "false", "narrow", `[["is","dm"]]`).OK()
	if got := newest.String("messages.0.content"); got != "yes" {
		t.Errorf("alice received %q", got)
	}
	w.As("olga").Do(fmt.Sprintf("DELETE /users/%d", w.UserID("alice"))).OK()
	want := "550 5.7.1 Nobody else in this conversation is using Stoa any longer."
	if why := w.reply(bob, bob, to, "anyone?"); why != want {
		t.Errorf("a reply to nobody: %s", why)
	}
}

// TestLongMail checks that a text that is too long for a message is also attached, and that its links remain.
func TestLongMail(t *testing.T) {
	w := open(t, kittest.Memory)
	long := "```\n" + strings.Repeat("0123456789 line\n", 1000)
	body := "--b\nContent-Type: text/plain\n\n" + long + "\n--b\nContent-Type: image/png; name=p.png\n\nx\n--b--\n"
	why := w.reply(mallory, mallory, w.channelAddress("alice"), body, "Content-Type: multipart/mixed; boundary=b")
	if why != "" {
		t.Fatal(why)
	}
	posted := w.posted()
	_, content, _ := strings.Cut(posted, ": ")
	// The links vary in length, so the text is cut at different places.
	end := regexp.MustCompile(`[a-z0-9] …\n` + "```" + `\n\n\(The email is too long for a message\.\)\n` +
		`\[email\.txt\]\(file\)\n\[p\.png\]\(file\)$`)
	if got := uploaded.ReplaceAllString(content, "(file)"); !end.MatchString(got) {
		t.Errorf("the message ends with %q", got[max(0, len(got)-200):])
	}
	file := regexp.MustCompile(`\[email.txt\]\((/[^)]*)\)`).FindStringSubmatch(content)
	if file == nil {
		t.Fatal("no file with the whole text")
	}
	if a := w.As("bob").Under("").Do("GET " + file[1]); !strings.Contains(a.Body, strings.TrimSpace(long)) {
		t.Errorf("the file has %d bytes", len(a.Body))
	}
}

// TestManyAttachments checks that the message says how many attachments are missing.
func TestManyAttachments(t *testing.T) {
	w := open(t, kittest.Memory)
	body := ""
	for i := range 12 {
		body += fmt.Sprintf("--b\nContent-Type: image/png; name=%d.png\n\nx\n", i)
	}
	body += "--b--\n"
	why := w.reply(mallory, mallory, w.channelAddress("alice"), body, "Content-Type: multipart/mixed; boundary=b")
	if got := w.posted(); why != "" || !strings.HasSuffix(got, "\n(2 more attachments were not stored.)") {
		t.Errorf("%s %q", why, got)
	}
}

// TestRepliesToChannels checks that replies to a channel's address are recognized by their headers, and posted in the
// topic of the first email without what they quote.
func TestRepliesToChannels(t *testing.T) {
	w := open(t, kittest.Memory)
	to := strings.Replace(w.channelAddress("alice"), ".show-sender", "", 1)
	all := strings.Replace(w.channelAddress("alice"), ".show-sender", ".include-quotes", 1)
	const quote = "On Mon, Jun 1, 2026 at 12:00 PM Alice <alice@example.com> wrote:\n> soup?"
	for _, c := range []struct{ to, header, body, want string }{
		{to, "In-Reply-To: <1@example.com>\n", "yes\n\n" + quote, "Lunch, Email Gateway: yes"},
		{to, "References: <0@example.com>\n <1@example.com>\n", "no\n\n" + quote, "Lunch, Email Gateway: no"},
		{to, "", "why\n\n" + quote, "R: Lunch, Email Gateway: why\n\n" + quote},
		{to, "In-Reply-To: <1@example.com>\n", quote, "Lunch, Email Gateway: " + quote},
		{all, "In-Reply-To: <1@example.com>\n", "so\n\n" + quote, "Lunch, Email Gateway: so\n\n" + quote},
	} {
		head := "From: Mallory <mallory@example.org>\nTo: ADDRESS\nSubject: R: Lunch\n" + c.header
		w.deliverText(c.body, head+"\n"+c.body, c.to)
		if got := w.posted(); got != c.want {
			t.Errorf("%s%s:\n%q, want\n%q", c.header, c.body, got, c.want)
		}
	}
}
