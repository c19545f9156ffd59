package guard

import (
	"errors"
	"net/netip"
	"net/url"
	"testing"
)

func TestPublic(t *testing.T) {
	for address, want := range map[string]bool{
		"93.184.215.14": true, "1.1.1.1": true, "2606:4700::1111": true, "2a00:1450:4001::1": true, "::ffff:1.1.1.1": true,
		"0.0.0.0": false, "10.1.2.3": false, "100.64.0.1": false, "100.100.100.200": false, "127.0.0.1": false,
		"127.9.9.9":       false,
		"169.254.169.254": false, "172.16.0.1": false, "172.31.255.255": false, "192.0.0.192": false, "192.0.2.1": false,
		"192.88.99.1": false, "192.168.1.1": false, "198.18.0.1": false, "198.51.100.7": false, "203.0.113.7": false,
		"224.0.0.1": false, "239.1.1.1": false, "240.0.0.1": false, "255.255.255.255": false, "168.63.129.16": false,
		"172.15.0.1": true, "172.32.0.1": true, "100.128.0.1": true, "198.20.0.1": true,
		"::": false, "::1": false, "::ffff:127.0.0.1": false, "::ffff:169.254.169.254": false, "::ffff:10.0.0.1": false,
		"::127.0.0.1": false, "64:ff9b::7f00:1": false, "64:ff9b:1::1": false, "100::1": false, "fc00::1": false,
		"fd00:ec2::254": false,
		"fe80::1":       false, "fe80::1%eth0": false, "fec0::1": false, "ff02::1": false, "2001::1": false,
		"2001:db8::1":   false,
		"2002:7f00:1::": false, "3fff::1": false, "4000::1": false,
	} {
		if got := (Guard{}).ip(netip.MustParseAddr(address)) == nil; got != want {
			t.Errorf("%s: %v", address, got)
		}
	}
}

func TestControl(t *testing.T) {
	g := Guard{Ports: []int{80, 443}, Allowed: []netip.Prefix{netip.MustParsePrefix("10.1.0.0/16"),
		netip.MustParsePrefix("fd00::/64")}}
	for _, c := range []struct {
		network, address string
		want             bool
	}{
		{"tcp4", "1.1.1.1:443", true},
		{"tcp6", "[2606:4700::1111]:80", true},
		{"tcp4", "10.1.2.3:80", true},
		{"tcp6", "[::ffff:10.1.2.3]:80", true},
		{"tcp6", "[fd00::1]:80", true},
		{"tcp6", "[fd00::1%eth0]:80", true},
		{"tcp4", "10.2.2.3:80", false},
		{"tcp4", "127.0.0.1:80", false},
		{"tcp6", "[::1]:443", false},
		{"tcp6", "[::ffff:127.0.0.1]:443", false},
		{"tcp4", "1.1.1.1:22", false},
		{"udp4", "1.1.1.1:443", false},
		{"unix", "/run/x.sock", false},
		{"tcp4", "x.org:443", false},
	} {
		if err := g.Control(c.network, c.address, nil); (err == nil) != c.want {
			t.Errorf("%s %s: %v", c.network, c.address, err)
		}
	}
}

func TestAddress(t *testing.T) {
	g := Guard{Ports: []int{80, 443}}
	for address, want := range map[string]bool{
		"http://x.org/a": true, "https://x.org:443/": true, "https://x.org.:80/": true,
		"https://xn--bcher-kva.example/": true,
		"http://1.1.1.1/":                true, "http://[2606:4700::1111]/": true,
		"ftp://x.org/": false, "file:///etc/passwd": false, "gopher://x.org/": false, "//x.org/": false, "http:x.org": false,
		"http:///a":        false,
		"http://x.org:22/": false, "http://x.org:8080/": false, "http://x.org:/": true, "http://u:p@x.org/": false,
		"http://u@x.org/":   false,
		"http://127.0.0.1/": false, "http://[::1]/": false, "http://[::ffff:7f00:1]/": false,
		"http://169.254.169.254/latest/meta-data/": false,
		"http://2130706433/":                       false, "http://0x7f000001/": false, "http://0177.0.0.1/": false,
		"http://127.1/": false, "http://0/": false,
		"http://0x7f.1/": false, "http://127.0.0.1./": false, "http://./": false, "http://x.org.127/": false,
	} {
		u, err := url.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		if err := g.Address(u); (err == nil) != want {
			t.Errorf("%s: %v", address, err)
		}
	}
}

func TestPorts(t *testing.T) {
	for _, c := range []struct {
		g    Guard
		port string
		want bool
	}{
		{Guard{}, "80", false}, {Guard{Ports: []int{80}}, "80", true}, {Guard{Ports: []int{80}}, "8080", false},
		{Guard{Ports: []int{80}, High: true}, "8080", true}, {Guard{High: true}, "1024", true},
		{Guard{High: true}, "65535", true},
		{Guard{High: true}, "1023", false}, {Guard{High: true}, "25", false}, {Guard{High: true}, "65536", false},
		{Guard{High: true}, "0", false},
	} {
		u, err := url.Parse("http://x.org:" + c.port + "/")
		if err != nil {
			t.Fatal(err)
		}
		if err := c.g.Address(u); (err == nil) != c.want || err != nil && !errors.As(err, new(RefusedError)) {
			t.Errorf("%+v %s: %v", c.g, c.port, err)
		}
	}
}
