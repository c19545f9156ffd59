package conformance_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/stoachat/stoa/app/proof/internal/harness"
)

// TestRegisterIsCompressed checks that clients which accept it receive the same registration compressed, except for the
// tokens of their bots, which are sent as they are.
func TestRegisterIsCompressed(t *testing.T) {
	harness.SQLiteSuffices(t, "responses are encoded alike")
	s := startAll(t)
	s.As("alice").Do("POST /bots", "full_name", "Helper", "short_name", "helper", "bot_type", "3",
		"payload_url", `"https://hooks.example.com/helper"`).OK()
	token := regexp.MustCompile(`"services":\[\{"base_url":"https://hooks.example.com/helper","interface":.,"token":"\w+"`)
	answers := map[string]map[string]any{}
	for _, accepted := range []string{"gzip", "identity"} {
		req := s.As("alice").Request("POST /register", strings.NewReader(""))
		req.Header.Set("Accept-Encoding", accepted)
		res, err := s.Client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		sent, err := io.ReadAll(res.Body)
		if _ = res.Body.Close(); err != nil || !token.Match(sent) {
			t.Errorf("accepting %s: the token is not sent as it is, %v", accepted, err)
		}
		coding, text := res.Header.Get("Content-Encoding"), io.Reader(bytes.NewReader(sent))
		if coding == "gzip" {
			if text, err = gzip.NewReader(text); err != nil {
				t.Fatal(err)
			}
		}
		var got map[string]any
		err = json.NewDecoder(text).Decode(&got)
		if (coding == "gzip") != (accepted == "gzip") || got["queue_id"] == nil || err != nil {
			t.Errorf("accepting %s: Content-Encoding %q, queue %v, %v", accepted, coding, got["queue_id"], err)
		}
		delete(got, "queue_id")
		answers[accepted] = got
	}
	if !reflect.DeepEqual(answers["gzip"], answers["identity"]) {
		t.Error("the responses differ")
	}
}
