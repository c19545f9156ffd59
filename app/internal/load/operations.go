package load

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"time"
)

// presenceInterval is how often clients report presence.
const presenceInterval = time.Minute

// operation is what people do beside sending.
type operation struct {
	name string
	each float64 // times a message
	do   func(*run, context.Context, *person) error
}

// mixed is what people do for each message of a channel, as measured in organizations that use such a server daily.
var mixed = []operation{
	{"switch", 6.5, (*run).switchTopic},
	{"scroll", 2, (*run).scroll},
	{"unread", 1, (*run).unread},
	{"open DM", 1, (*run).openDirect},
	{"draft", 0.5, (*run).draft},
	{"react", 0.13, (*run).react},
	{"edit", 0.04, (*run).edit},
	{"search", 0.02, (*run).search},
}

// words are what messages are made of. The first are in most of them.
var words = []string{"the", "release", "build", "we", "should", "check", "deploy", "review", "meeting", "thanks"}

func word() string { return words[rand.IntN(len(words))] }

// send sends a message of a few sentences, with the time in front.
func (r *run) send(ctx context.Context, p *person) error {
	content := stamp + text(r.Clock.Now().UnixNano()) + " "
	for range 5 + rand.IntN(30) {
		content += word() + " "
	}
	var sent struct{ ID int64 }
	channel, topic := r.conversation()
	err := p.call(ctx, p.calls, "POST /messages", &sent,
		"type", "stream", "to", text(channel), "topic", topic, "content", content)
	if err == nil {
		r.results.sent.Add(1)
		r.remember(sentMessage{sent.ID, p})
	}
	return err
}

// conversation returns a random topic.
func (r *run) conversation() (channel int64, topic string) {
	const topics = 20 // in a channel
	return r.channels[rand.IntN(len(r.channels))], fmt.Sprintf("topic %d", 1+rand.IntN(topics))
}

// switchTopic shows another topic, and marks it as read.
func (r *run) switchTopic(ctx context.Context, p *person) error {
	channel, topic := r.conversation()
	narrow := narrowTo(map[string]any{"channel": channel}, map[string]any{"topic": topic})
	err := p.do(ctx, "GET /messages",
		"anchor", "first_unread", "num_before", "50", "num_after", "50", "narrow", narrow)
	if err != nil {
		return err
	}
	return p.do(ctx, "POST /messages/flags/narrow", "anchor", "newest", "include_anchor", "true", "num_before", "100",
		"num_after", "0", "op", "add", "flag", "read", "narrow", narrow)
}

// scroll shows older messages of a channel.
func (r *run) scroll(ctx context.Context, p *person) error {
	channel, _ := r.conversation()
	m, _ := r.remembered()
	anchor := "newest"
	if m.id > 0 {
		anchor = text(m.id)
	}
	return p.do(ctx, "GET /messages", "anchor", anchor, "num_before", "100", "num_after", "0",
		"narrow", narrowTo(map[string]any{"channel": channel}))
}

// unread shows all unread messages.
func (r *run) unread(ctx context.Context, p *person) error {
	return p.do(ctx, "GET /messages", "anchor", "first_unread", "num_before", "0", "num_after", "50",
		"narrow", narrowTo(map[string]any{"is": "unread"}))
}

// openDirect shows a conversation between two people.
func (r *run) openDirect(ctx context.Context, p *person) error {
	other := r.people[rand.IntN(len(r.people))]
	return p.do(ctx, "GET /messages", "anchor", "newest", "num_before", "50", "num_after", "0",
		"narrow", narrowTo(map[string]any{"dm": []int64{other.ID}}))
}

// draft saves what is being written.
func (r *run) draft(ctx context.Context, p *person) error {
	channel, topic := r.conversation()
	drafts, err := json.Marshal([]map[string]any{{
		"type": "stream", "to": []int64{channel}, "topic": topic, "content": "what I was about to say",
	}})
	if err != nil {
		return err
	}
	return p.do(ctx, "POST /drafts", "drafts", string(drafts))
}

// react adds a reaction, or removes it if it exists.
func (r *run) react(ctx context.Context, p *person) error {
	m, ok := r.remembered()
	if !ok {
		return nil
	}
	path := fmt.Sprintf("/messages/%d/reactions", m.id)
	err := p.do(ctx, "POST "+path, "emoji_name", "thumbs_up")
	if refusal(err) == "REACTION_ALREADY_EXISTS" {
		return p.do(ctx, "DELETE "+path, "emoji_name", "thumbs_up")
	}
	return err
}

// edit changes a message. Its sender does it.
func (r *run) edit(ctx context.Context, _ *person) error {
	m, ok := r.remembered()
	if !ok {
		return nil
	}
	return m.sender.do(ctx, fmt.Sprintf("PATCH /messages/%d", m.id), "content", "changed: "+word())
}

// search looks for a word.
func (r *run) search(ctx context.Context, p *person) error {
	return p.do(ctx, "GET /messages", "anchor", "newest", "num_before", "50", "num_after", "0",
		"narrow", narrowTo(map[string]any{"search": word()}))
}

// presence reports that a person is active.
func (r *run) presence(ctx context.Context, p *person) error {
	return p.do(ctx, "POST /users/me/presence", "status", "active", "ping_only", "true")
}

// register fetches everything, as a client that starts.
func (r *run) register(ctx context.Context, p *person) error {
	return p.do(ctx, "POST /register", "apply_markdown", "true", "client_gravatar", "true",
		"client_capabilities", `{"bulk_message_deletion": true, "user_avatar_url_field_optional": true}`)
}

// narrowTo returns a narrow of operators, each with its operand.
func narrowTo(terms ...map[string]any) string {
	var all []map[string]any
	for _, t := range terms {
		for operator, operand := range t {
			all = append(all, map[string]any{"operator": operator, "operand": operand})
		}
	}
	b, _ := json.Marshal(all) // strings and numbers
	return string(b)
}
