package conformance_test

import (
	"compress/gzip"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stoachat/stoa/app/proof/internal/harness"
)

// TestRegisterIsCompressed checks that clients which accept it receive a complete registration compressed.
func TestRegisterIsCompressed(t *testing.T) {
	harness.SQLiteSuffices(t, "responses are encoded alike")
	s := harness.StartAll(t)
	for _, accepted := range []string{"gzip", "identity"} {
		req := s.As("alice").Request("POST /register", strings.NewReader(""))
		req.Header.Set("Accept-Encoding", accepted)
		res, err := s.Client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		body := res.Body
		coding := res.Header.Get("Content-Encoding")
		if coding == "gzip" {
			if body, err = gzip.NewReader(res.Body); err != nil {
				t.Fatal(err)
			}
		}
		var got struct {
			Queue string `json:"queue_id"`
		}
		err = json.NewDecoder(body).Decode(&got)
		if (coding == "gzip") != (accepted == "gzip") || got.Queue == "" || err != nil {
			t.Errorf("accepting %s: Content-Encoding %q, queue %q, %v", accepted, coding, got.Queue, err)
		}
		_ = res.Body.Close()
	}
}
