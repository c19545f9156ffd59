package session

import "testing"

func TestProgram(t *testing.T) {
	for header, want := range map[string]string{
		"": "an unknown program",
		"Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0":                                   "Firefox on Linux",
		"Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36 Edg/14.1": "Edge on Windows",
		"Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1 Version/18.0 Safari/604.1":       "Safari on iOS",
		"ZulipFlutter/30.0.250 (Android 15)":              "ZulipFlutter on Android",
		"https://evil.example/\r\n<a href=x>":             "https",
		"../../\u202e" + string(make([]byte, 300)) + "/x": "an unknown program",
	} {
		if got := Program(header); got != want {
			t.Errorf("%q: %q, want %q", header, got, want)
		}
	}
}

func TestNetwork(t *testing.T) {
	for address, want := range map[string]string{
		"192.0.2.77": "192.0.2.0/24", "::ffff:192.0.2.77": "192.0.2.0/24", "2001:db8:1:2::": "2001:db8:1::/48", "x": "x",
	} {
		if got := Network(address); got != want {
			t.Errorf("%s: %s, want %s", address, got, want)
		}
	}
}
