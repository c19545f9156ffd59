package realm_test

import "testing"

func TestConnectivityCheck(t *testing.T) {
	s := start(t)
	root := s.Anonymous().Under("")
	if a := root.Do("GET /generate_204"); a.Status != 204 || a.Body != "" {
		t.Errorf("%d %q", a.Status, a.Body)
	}
	if a := root.Do("POST /generate_204"); a.Status != 405 {
		t.Errorf("POST: %d", a.Status)
	}
	if a := root.Do("GET /health").OK(); a.String("result") != "success" || a.String("status") != "ok" {
		t.Errorf("health: %s", a.Body)
	}
	s.Anonymous().Do("GET /compatibility").Is(200, `{"result":"success","msg":""}`)
	s.Anonymous().Agent("ZulipMobile/30.0").Do("GET /compatibility").OK()
	s.Anonymous().Agent("ZulipInvalid/1.0").Do("GET /compatibility").Error(400, "BAD_REQUEST", "too old")
	s.NoEvents()
}
