package topic_test

import (
	"testing"

	"github.com/stoachat/stoa/domain/topic"
)

func TestAutomatic(t *testing.T) {
	for _, c := range []struct {
		name           string
		had            topic.Visibility
		follow, unmute topic.When
		did            topic.Participation
		inMuted        bool
		want           topic.Visibility
	}{
		{"the defaults: a reaction", topic.None, topic.OnStart, topic.OnSend, topic.TookPart, true, topic.None},
		{"the defaults: a message", topic.None, topic.OnStart, topic.OnSend, topic.Wrote, false, topic.None},
		{"the defaults: a message in a muted channel", topic.None, topic.OnStart, topic.OnSend, topic.Wrote, true,
			topic.Unmuted},
		{"the defaults: a start", topic.None, topic.OnStart, topic.OnSend, topic.Started, false, topic.Followed},
		{"the defaults: a start in a muted channel", topic.None, topic.OnStart, topic.OnSend, topic.Started, true,
			topic.Followed},
		{"a start where a policy is set", topic.Muted, topic.OnStart, topic.Never, topic.Started, true, topic.Muted},
		{"a start where a policy is set is still a message", topic.Muted, topic.OnStart, topic.OnSend, topic.Started, true,
			topic.Unmuted},
		{"followed stays", topic.Followed, topic.Never, topic.OnParticipation, topic.Wrote, true, topic.Followed},
		{"followed on taking part", topic.None, topic.OnParticipation, topic.Never, topic.TookPart, false, topic.Followed},
		{
			"followed on taking part: a message", topic.Unmuted, topic.OnParticipation, topic.Never, topic.Wrote, false,
			topic.Followed,
		},
		{"followed on sending: not by a reaction", topic.None, topic.OnSend, topic.Never, topic.TookPart, false, topic.None},
		{"a muted topic is raised", topic.Muted, topic.OnSend, topic.Never, topic.Wrote, false, topic.Followed},
		{"a muted topic in a channel that is not muted", topic.Muted, topic.Never, topic.OnParticipation, topic.Wrote, false,
			topic.Muted},
		{"unmuted on taking part", topic.None, topic.Never, topic.OnParticipation, topic.TookPart, true, topic.Unmuted},
		{"unmuted on starting", topic.None, topic.Never, topic.OnStart, topic.Started, true, topic.Unmuted},
		{"unmuted on starting: not by a message", topic.None, topic.Never, topic.OnStart, topic.Wrote, true, topic.None},
		{"never", topic.None, topic.Never, topic.Never, topic.Started, true, topic.None},
	} {
		if got := topic.Automatic(c.had, c.follow, c.unmute, c.did, c.inMuted); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}

func TestOnMention(t *testing.T) {
	for had, want := range map[topic.Visibility]topic.Visibility{
		topic.None: topic.Followed, topic.Muted: topic.Muted, topic.Unmuted: topic.Followed, topic.Followed: topic.Followed,
	} {
		if got := topic.OnMention(had); got != want {
			t.Errorf("%d: %d, want %d", had, got, want)
		}
	}
}

func TestMerged(t *testing.T) {
	most := []topic.Visibility{topic.Muted, topic.None, topic.Unmuted, topic.Followed}
	for i, moved := range most {
		for j, there := range most {
			if got, want := topic.Merged(moved, there, false), most[max(i, j)]; got != want {
				t.Errorf("%d into %d: %d, want %d", moved, there, got, want)
			}
			if got := topic.Merged(moved, there, true); got != moved {
				t.Errorf("policy %d moved to an empty topic with %d: %d", moved, there, got)
			}
		}
	}
}

func TestCarried(t *testing.T) {
	for _, c := range []struct {
		had            topic.Visibility
		automatic      bool
		follow, unmute topic.When
		inMuted        bool
		want           topic.Visibility
	}{
		{topic.Followed, true, topic.Never, topic.Never, false, topic.Followed},
		{topic.Unmuted, true, topic.Never, topic.Never, false, topic.Unmuted},
		{topic.Followed, false, topic.OnSend, topic.Never, false, topic.Followed},
		{topic.Followed, false, topic.OnParticipation, topic.Never, false, topic.Followed},
		{topic.Followed, false, topic.OnStart, topic.OnSend, false, topic.None},
		{topic.Followed, false, topic.OnStart, topic.OnSend, true, topic.Unmuted},
		{topic.Unmuted, false, topic.OnSend, topic.Never, false, topic.Unmuted},
		{topic.Unmuted, false, topic.Never, topic.OnStart, true, topic.None},
		{topic.Muted, true, topic.OnSend, topic.OnSend, true, topic.None},
		{topic.None, false, topic.OnSend, topic.OnSend, true, topic.None},
	} {
		if got := topic.Carried(c.had, c.automatic, c.follow, c.unmute, c.inMuted); got != c.want {
			t.Errorf("%+v: got %d", c, got)
		}
	}
}
