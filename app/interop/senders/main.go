// Command senders makes the webhook clients of Alertmanager and Slack send to a server, and checks what arrives. It is
// a Go module of its own, since Alertmanager needs more libraries than the server.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/prometheus/alertmanager/alert"
	amconfig "github.com/prometheus/alertmanager/config/common"
	"github.com/prometheus/alertmanager/notify"
	"github.com/prometheus/alertmanager/notify/webhook"
	"github.com/prometheus/alertmanager/template"
	"github.com/prometheus/common/config"
	"github.com/prometheus/common/model"
	"github.com/slack-go/slack"
)

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "senders:", err)
		os.Exit(1)
	}
	fmt.Println("senders: passed")
}

// site is the server, and the account whose API key the webhooks use.
type site struct{ url, email, key string }

func run(ctx context.Context) error {
	s := site{url: os.Getenv("INTEROP_SITE"), email: os.Getenv("INTEROP_EMAIL")}
	login := url.Values{"username": {s.email}, "password": {os.Getenv("INTEROP_PASSWORD")}}
	var account struct {
		Key string `json:"api_key"`
	}
	if err := s.call(ctx, http.MethodPost, "/fetch_api_key", login, &account); err != nil {
		return err
	}
	s.key = account.Key
	join := url.Values{"subscriptions": {`[{"name":"senders"}]`}}
	if err := s.call(ctx, http.MethodPost, "/users/me/subscriptions", join, nil); err != nil {
		return err
	}
	const disk = "* [The disk of db1 is full](http://prometheus.example.com/graph)"
	for _, step := range []struct {
		send           func(context.Context) error
		topic, content string
	}{
		{s.alert(false), "DiskFull", ":alert: **FIRING** (1)\n" + disk},
		{s.alert(true), "DiskFull", ":squared_ok: **RESOLVED** (1)\n" + disk},
		{s.blocks, "builds", "## Build 12\n\n**main** [failed](https://ci.example.com/12)\n\nby Ann"},
		{s.text, "ci", ":rocket: shipped **it**"},
	} {
		if err := step.send(ctx); err != nil {
			return err
		}
		if err := s.expect(ctx, step.topic, step.content); err != nil {
			return err
		}
	}
	return nil
}

// hook returns the URL of an integration. options are further query parameters, as pairs of name and value.
func (s site) hook(integration string, options ...string) string {
	q := url.Values{"api_key": {s.key}, "stream": {"senders"}}
	for i := 0; i < len(options); i += 2 {
		q.Set(options[i], options[i+1])
	}
	return s.url + "/api/v1/external/" + integration + "?" + q.Encode()
}

// alert makes Alertmanager send a notification about one alert.
func (s site) alert(resolved bool) func(context.Context) error {
	return func(ctx context.Context) error {
		t, err := template.FromGlobs(nil)
		if err != nil {
			return err
		}
		t.ExternalURL = &url.URL{Scheme: "http", Host: "alertmanager.example.com"}
		sender, err := webhook.New(&webhook.WebhookConfig{
			URL: amconfig.SecretTemplateURL(s.hook("alertmanager")), HTTPConfig: &config.HTTPClientConfig{},
		}, t, slog.New(slog.DiscardHandler))
		if err != nil {
			return err
		}
		now := time.Now()
		a := &alert.Alert{Alert: model.Alert{
			Labels:       model.LabelSet{"alertname": "DiskFull", "instance": "db1"},
			Annotations:  model.LabelSet{"summary": "The disk of db1 is full"},
			GeneratorURL: "http://prometheus.example.com/graph",
			StartsAt:     now.Add(-time.Hour),
		}}
		if resolved {
			a.EndsAt = now.Add(-time.Second)
		}
		ctx = notify.WithGroupKey(ctx, "group")
		ctx = notify.WithGroupLabels(ctx, model.LabelSet{"alertname": "DiskFull"})
		ctx = notify.WithReceiverName(ctx, "chat")
		_, err = sender.Notify(ctx, a)
		return err
	}
}

// blocks makes the Slack client send a message made of blocks. The channel becomes its topic.
func (s site) blocks(ctx context.Context) error {
	return slack.PostWebhookContext(ctx, s.hook("slack_incoming"), &slack.WebhookMessage{
		Channel: "#builds",
		Text:    "left out where there are blocks",
		Blocks: &slack.Blocks{BlockSet: []slack.Block{
			slack.NewHeaderBlock(slack.NewTextBlockObject(slack.PlainTextType, "Build 12", false, false)),
			slack.NewSectionBlock(
				slack.NewTextBlockObject(slack.MarkdownType, "*main* <https://ci.example.com/12|failed>", false, false), nil, nil),
			slack.NewContextBlock("", slack.NewTextBlockObject(slack.PlainTextType, "by Ann", false, false)),
		}},
	})
}

// text makes the Slack client send a plain message.
func (s site) text(ctx context.Context) error {
	return slack.PostWebhookContext(ctx, s.hook("slack_incoming", "topic", "ci"), &slack.WebhookMessage{
		IconEmoji: ":rocket:", Text: "shipped *it*",
	})
}

// expect checks the newest message in the channel.
func (s site) expect(ctx context.Context, topic, content string) error {
	var list struct {
		Messages []struct {
			Topic   string `json:"subject"`
			Content string `json:"content"`
		} `json:"messages"`
	}
	q := url.Values{
		"anchor": {"newest"}, "num_before": {"1"}, "num_after": {"0"}, "apply_markdown": {"false"},
		"narrow": {`[["channel","senders"]]`},
	}
	if err := s.call(ctx, http.MethodGet, "/messages", q, &list); err != nil {
		return err
	}
	if len(list.Messages) != 1 || list.Messages[0].Topic != topic || list.Messages[0].Content != content {
		return fmt.Errorf("the newest message is %+q, not %q: %q", list.Messages, topic, content)
	}
	return nil
}

func (s site) call(ctx context.Context, method, path string, form url.Values, into any) error {
	address, body := s.url+"/api/v1"+path, io.Reader(strings.NewReader(form.Encode()))
	if method == http.MethodGet {
		address, body = address+"?"+form.Encode(), nil
	}
	req, err := http.NewRequestWithContext(ctx, method, address, body)
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if s.key != "" {
		req.SetBasicAuth(s.email, s.key)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	answer, err := io.ReadAll(res.Body)
	if err := errors.Join(err, res.Body.Close()); err != nil {
		return err
	}
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("%s %s: %s", method, path, answer)
	}
	if into == nil {
		return nil
	}
	return json.Unmarshal(answer, into)
}
