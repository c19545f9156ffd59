package web

import (
	"strings"
	"testing"
	"testing/fstest"
)

func TestHelp(t *testing.T) {
	files := built()
	files["dist/help.json"] = &fstest.MapFile{Data: []byte(`{"en":{` +
		`"tasks":[{"to":"messages-move","title":"Move a topic"}],"areas":[{"name":"messages","title":"Messages",` +
		`"paragraphs":[{"key":"move","text":"Move <it>."}]}]},` +
		`"de":{"areas":[{"name":"messages","title":"Nachrichten","paragraphs":[]}]}}`)}
	s := start(t, module(files))
	for path, want := range map[string]string{
		"/help":         `<p id="messages-move">Move &lt;it&gt;.</p>`,
		"/help/":        `<a href="#messages-move">Move a topic</a>`,
		"/help?lang=de": `<h2>Nachrichten</h2>`,
		"/help?lang=x":  `<h2>Messages</h2>`,
	} {
		status, h, body := s.Page("GET", path, nil)
		if status != 200 || !strings.Contains(body, want) {
			t.Errorf("%s: %d %s", path, status, body)
		}
		if csp := h.Get("Content-Security-Policy"); !strings.HasPrefix(csp, "default-src 'none'") {
			t.Errorf("%s: policy %q", path, csp)
		}
	}
	if status, _, body := s.Page("GET", "/help/none", nil); status != 404 || !strings.Contains(body, `role="alert"`) {
		t.Errorf("a page that does not exist: %d %s", status, body)
	}
}

func TestHelpWithoutClient(t *testing.T) {
	s := start(t, module(fstest.MapFS{}))
	if status, _, _ := s.Page("GET", "/help", nil); status != 404 {
		t.Errorf("without a client: %d", status)
	}
	if _, err := readHelp(fstest.MapFS{"dist/help.json": &fstest.MapFile{Data: []byte("{")}}); err == nil {
		t.Error("a broken file is accepted")
	}
}
