package sink

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/stoachat/stoa/domain/audit"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

// HTTP sends entries in POST requests.
type HTTP struct {
	URL    string     `yaml:"url"`    // where entries are posted; "": nowhere
	Token  kit.Secret `yaml:"token"`  // sent as a bearer token; "": none
	Format string     `yaml:"format"` // jsonl, csv, mattermost, ocsf or cef
}

// Problem returns an error if the settings are invalid.
func (h HTTP) Problem() error {
	if h.URL == "" {
		return nil
	}
	if u, err := url.Parse(h.URL); err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" {
		return errors.New("http.url: want a URL such as https://logs.example.com/stoa")
	}
	return checkFormat("http", h.Format)
}

// timeout is the maximum duration of an attempt to send entries.
const timeout = 20 * time.Second

// client does not follow redirects, which would reveal the token to others.
var client = &http.Client{
	Timeout:       timeout,
	Transport:     ports.TracedTransport("audit", http.DefaultTransport),
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

// Send implements Sink.
func (h HTTP) Send(ctx context.Context, entries []audit.Entry) error {
	text, err := lines(h.Format, entries)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, h.URL, bytes.NewReader(text))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", contentType(h.Format))
	if h.Token != "" {
		req.Header.Set("Authorization", "Bearer "+string(h.Token))
	}
	res, err := client.Do(req)
	if err != nil {
		return err
	}
	_, _ = io.Copy(io.Discard, io.LimitReader(res.Body, 1<<16))
	if err := res.Body.Close(); err != nil {
		return err
	}
	if res.StatusCode/100 != 2 {
		return fmt.Errorf("%s responded with status %d", req.URL.Host, res.StatusCode)
	}
	return nil
}

func contentType(format string) string {
	switch format {
	case "csv":
		return "text/csv; charset=utf-8"
	case "cef":
		return "text/plain; charset=utf-8"
	}
	return "application/x-ndjson"
}
