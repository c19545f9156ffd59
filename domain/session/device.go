package session

import (
	"net/netip"
	"strings"
	"unicode"
)

// browsers and systems map substrings of User-Agent headers to names. The first match counts, since many headers also
// contain the names of other programs.
var (
	browsers = [][2]string{
		{"Edg", "Edge"}, {"OPR/", "Opera"}, {"Vivaldi/", "Vivaldi"}, {"SamsungBrowser/", "Samsung Internet"},
		{"Firefox/", "Firefox"}, {"FxiOS/", "Firefox"}, {"CriOS/", "Chrome"}, {"Chrome/", "Chrome"}, {"Safari/", "Safari"},
	}
	systems = [][2]string{
		{"Android", "Android"}, {"iPhone", "iOS"}, {"iPad", "iOS"}, {"iOS", "iOS"}, {"Windows", "Windows"},
		{"CrOS", "ChromeOS"}, {"Mac", "macOS"}, {"Linux", "Linux"},
	}
)

func find(header string, words [][2]string) string {
	for _, w := range words {
		if strings.Contains(header, w[0]) {
			return w[1]
		}
	}
	return ""
}

// Program describes the program that sent a User-Agent header, without its version, such as "Firefox on Linux". The
// result contains only letters, digits, spaces, hyphens and underscores.
func Program(header string) string {
	var name string
	if strings.HasPrefix(header, "Mozilla/") {
		name = find(header, browsers)
	} else {
		first, _, _ := strings.Cut(header, "/")
		name = strings.Map(func(r rune) rune {
			if r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("-_ ", r) {
				return -1
			}
			return r
		}, first)
		name = strings.TrimSpace(name[:min(len(name), maxProgram)])
	}
	if name == "" {
		name = "an unknown program"
	}
	if system := find(header, systems); system != "" {
		return name + " on " + system
	}
	return name
}

// maxProgram is the maximum length of an app's name in bytes.
const maxProgram = 30

// Network returns the network of an address, within which a device may change its address: the first 24 bits of IPv4,
// the first 48 of IPv6.
func Network(address string) string {
	ip, err := netip.ParseAddr(address)
	if err != nil {
		return address
	}
	bits := 48
	if ip = ip.Unmap().WithZone(""); ip.Is4() {
		bits = 24
	}
	p, err := ip.Prefix(bits)
	if err != nil {
		return address
	}
	return p.String()
}
