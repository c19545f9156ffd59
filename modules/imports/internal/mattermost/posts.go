package mattermost

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"strings"

	"github.com/stoachat/stoa/domain/importing"
)

// mainTopic is the topic of messages outside of threads, and pinnedTopic that of the list of pinned messages.
const (
	mainTopic   = "imported from Mattermost"
	pinnedTopic = "pinned"
)

// post is a post that is not a reply, with its replies.
type post struct {
	postLine
	where        string
	key          importing.Key
	conversation importing.Key
	channel      importing.Key   // "": a direct post
	people       []importing.Key // of a direct post
	topic        string          // of the thread; "": it has no topic of its own
}

// posts calls fn for each post of the team and of direct conversations, in the order of the file, always with the same
// keys and topics. It calls left, unless that is nil, for lines that it leaves out.
func (s *source) posts(ctx context.Context, fn func(*post) error,
	left func(o importing.Outcome, why, where string),
) error {
	if left == nil {
		left = func(importing.Outcome, string, string) {}
	}
	topics, seen := importing.NewTopics(cmp.Or(s.Options.MainTopic, mainTopic), pinnedTopic), newRepeats()
	return s.lines(ctx, func(where string, l *line) error {
		if l == nil || l.Type != "post" && l.Type != "direct_post" {
			return nil
		}
		p := &post{where: where}
		text := l.Post
		if l.Type == "direct_post" {
			text = l.DirectPost
		}
		if !decode(text, &p.postLine) {
			left(importing.Refused, "malformed", where)
			return nil
		}
		if outcome, why := s.place(p, l.Type == "direct_post"); why != "" {
			left(outcome, why, where)
			return nil
		}
		p.key = postKey(p.conversation, &p.postLine)
		if seen.add(string(p.key)) {
			p.key += importing.Key(fmt.Sprintf("/%x", sha256.Sum256([]byte(p.Type+"\n"+p.Message+"\n"+string(p.Props))))[:17])
		}
		if len(p.Replies.All) > 0 && p.channel != "" && s.Options.Threads != "inline" {
			p.topic = topics.Thread(p.channel, s.plain(p.Message), s.fileName(&p.postLine), importing.Milliseconds(p.CreateAt))
		}
		return fn(p)
	})
}

// place finds the conversation of a post, or returns why there is none.
func (s *source) place(p *post, direct bool) (o importing.Outcome, why string) {
	if personKey(p.User) == "" {
		return importing.Refused, "has no author"
	}
	if direct {
		p.people = personKeys(p.ChannelMembers)
		p.conversation = directKey(p.ChannelMembers)
		if p.conversation == "" {
			return importing.Refused, "has no receivers"
		}
		return "", ""
	}
	p.channel = channelKey(p.Team, p.Channel)
	p.conversation = p.channel
	switch {
	case !s.ours(p.Team) && p.Team != "":
		return importing.Skipped, "in another team"
	case s.channels[p.channel] == nil:
		return importing.Refused, "belongs to no channel of the archive"
	}
	return "", ""
}

// postKey returns the key of a post within a conversation or thread.
func postKey(in importing.Key, p *postLine) importing.Key {
	return importing.Key(fmt.Sprintf("%s/%d/%s", in, p.CreateAt, personKey(p.User)))
}

// replyKeys returns the keys of the replies to a post.
func replyKeys(p *post) []importing.Key {
	out, times := make([]importing.Key, 0, len(p.Replies.All)), map[importing.Key]int{}
	for i := range p.Replies.All {
		k := postKey(p.key, &p.Replies.All[i])
		if times[k]++; times[k] > 1 {
			k += importing.Key(fmt.Sprintf("/%d", times[k]))
		}
		out = append(out, k)
	}
	return out
}

// fileName returns the name of the first file of a post, or "".
func (s *source) fileName(p *postLine) string {
	if len(p.Attachments.All) == 0 {
		return ""
	}
	return strings.TrimSpace(base(p.Attachments.All[0].Path))
}
