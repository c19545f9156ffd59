package message

import (
	"strings"
	"testing"
)

func TestClean(t *testing.T) {
	for _, c := range []struct{ sent, want, refused string }{
		{sent: "hi", want: "hi"},
		{sent: "\n\n  hi \t\n", want: "  hi"},
		{sent: "hi\u00a0\u2003", want: "hi"},
		{sent: "", refused: "Message must not be empty"},
		{sent: "\n \t", refused: "Message must not be empty"},
		{sent: "a\x00b", refused: "Message must not contain null bytes"},
		{sent: strings.Repeat("é", 10_000), want: strings.Repeat("é", 10_000)},
		{sent: strings.Repeat("é", 10_001), want: strings.Repeat("é", 9_980) + "\n[message truncated]"},
	} {
		got, err := Clean(c.sent)
		if got != c.want || text(err) != c.refused {
			t.Errorf("Clean(%.20q) = %.20q, %q; want %.20q, %q", c.sent, got, text(err), c.want, c.refused)
		}
	}
}

func TestReadBySender(t *testing.T) {
	for name, want := range map[string]bool{
		"ZulipMobile": true, "website": true, "ZulipFlutter": true, "Some Desktop App": true, "zulipterminal": true,
		"ZulipPython": false, "": false, "iosx": false, "Mozilla": false,
	} {
		if ReadBySender(name) != want {
			t.Errorf("ReadBySender(%q) = %v", name, !want)
		}
	}
}

func TestFlagNames(t *testing.T) {
	for _, c := range []struct {
		flags            Flag
		facts            Facts
		read, historical bool
		want             string
	}{
		{want: ""},
		{flags: Starred | Personally | Touched | OldUnread, want: "starred"},
		{flags: Mentioned | Personally, read: true, want: "read mentioned"},
		{facts: ChannelWildcard | HasLink, want: "stream_wildcard_mentioned wildcard_mentioned"},
		{flags: TopicWildcard, want: "topic_wildcard_mentioned wildcard_mentioned"},
		{flags: TopicWildcard | AlertWord, facts: ChannelWildcard,
			want: "stream_wildcard_mentioned topic_wildcard_mentioned has_alert_word wildcard_mentioned"},
		{flags: Collapsed, read: true, historical: true, want: "read collapsed historical"},
	} {
		if got := FlagNames(c.flags, c.facts, c.read, c.historical); got == nil || strings.Join(got, " ") != c.want {
			t.Errorf("FlagNames(%b, %b, %v, %v) = %v, want %s", c.flags, c.facts, c.read, c.historical, got, c.want)
		}
	}
}

func TestEditable(t *testing.T) {
	for name, want := range map[string]bool{
		"read": true, "starred": true, "collapsed": true, "mentioned": false, "wildcard_mentioned": false,
		"has_alert_word": false, "historical": false, "": false,
	} {
		if _, ok := Editable(name); ok != want {
			t.Errorf("Editable(%q) = %v", name, ok)
		}
	}
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
