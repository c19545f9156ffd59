// Package webpagetest contains the contract test for ports.Pages, and a fake.
package webpagetest

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/markdown"
	"github.com/stoachat/stoa/ports"
)

// Fake serves predefined pages and records requests.
type Fake struct {
	mu        sync.Mutex
	pages     map[string]markdown.Embed
	requested []string
	onRequest func(address string) error
}

// NewFake returns a fake with the given pages.
func NewFake(pages map[string]markdown.Embed) *Fake {
	f := &Fake{}
	f.Set(pages)
	return f
}

// Set replaces the pages.
func (f *Fake) Set(pages map[string]markdown.Embed) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.pages = pages
}

// OnRequest sets a function that runs while a page is being read, or nil. Page returns its error.
func (f *Fake) OnRequest(do func(address string) error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.onRequest = do
}

// Requested returns the addresses that have been requested since the last call.
func (f *Fake) Requested() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	requested := f.requested
	f.requested = nil
	return requested
}

// Page implements ports.Pages.
func (f *Fake) Page(ctx context.Context, address string) (markdown.Embed, error) {
	f.mu.Lock()
	f.requested = append(f.requested, address)
	onRequest := f.onRequest
	f.mu.Unlock()
	if onRequest != nil {
		if err := onRequest(address); err != nil {
			return markdown.Embed{}, err
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return markdown.Embed{}, err
	}
	e, ok := f.pages[address]
	if !ok {
		return markdown.Embed{}, errs.New(errs.NotFound, "No page to show")
	}
	return e, nil
}

// Served is a page served by a web server, with its expected metadata.
type Served struct {
	Path, Type, Body string
	Want             markdown.Embed // empty: none, or an error if OK is false
	OK               bool
}

const page = `<!DOCTYPE html><html><head><title>Plain &amp; simple</title><meta name="description" content="a  page
of lines"><meta property="og:title" content="Open"><meta property="og:image" content="/i.png">
</head><body><h1>x</h1></body></html>`

// sites returns the pages of the contract, served below a base URL.
func sites(base string) []Served {
	return []Served{
		{"/page", "text/html; charset=utf-8", page, markdown.Embed{Title: "Open", Description: "a page of lines",
			Image: base + "/i.png"}, true},
		{"/plain", "text/html", "<title>Only</title>", markdown.Embed{Title: "Only"}, true},
		{"/empty", "text/html", "", markdown.Embed{}, true},
		{"/image.jpg?x", "image/jpeg", "\xff\xd8", markdown.Embed{}, false},
		{"/text", "text/plain", "<title>x</title>", markdown.Embed{}, false},
	}
}

// Contract tests a ports.Pages. open serves the pages, and returns a ports.Pages that may read them, and their base
// URL.
func Contract(t *testing.T, open func(t *testing.T, pages func(base string) []Served) (p ports.Pages, base string)) {
	t.Helper()
	pages, base := open(t, sites)
	for _, s := range sites(base) {
		got, err := pages.Page(t.Context(), base+s.Path)
		if s.OK && err != nil || !s.OK && !errs.Is(err, errs.NotFound) || got != s.Want {
			t.Errorf("%s: %+v, %v; want %+v", s.Path, got, err, s.Want)
		}
	}
	for _, address := range []string{base + "/missing", "", "nothing", "ftp://x.org/a", "http://[", "javascript:x",
		"http://x.invalid/"} {
		if e, err := pages.Page(t.Context(), address); !errs.Is(err, errs.NotFound) || !e.Empty() {
			t.Errorf("%q: %+v, %v", address, e, err)
		}
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := pages.Page(ended, base+"/page"); !errors.Is(err, context.Canceled) {
		t.Errorf("without time: %v", err)
	}
}
