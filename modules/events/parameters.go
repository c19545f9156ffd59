package events

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/narrow"
	"github.com/stoachat/stoa/modules/kit"
)

// Maximum number of event types in a registration, maximum length of a type name, and maximum size of the narrow. There
// are about seventy event types, with short names.
const (
	maxTypes    = 500
	maxTypeName = 60
	maxNarrow   = 10_000 // bytes
)

// registerReq holds the parameters of POST /register. Some are parsed leniently, since clients send them in different
// formats.
type registerReq struct {
	ApplyMarkdown      *bool            `json:"apply_markdown"`
	ClientGravatar     *bool            `json:"client_gravatar"`
	IncludeSubscribers *string          `json:"include_subscribers"`
	SlimPresence       *bool            `json:"slim_presence"`
	PresenceHistory    *int             `json:"presence_history_limit_days"`
	PresenceLast       *int64           `json:"presence_last_update_id"`
	EventTypes         *[]string        `json:"event_types"`
	FetchEventTypes    *[]string        `json:"fetch_event_types"`
	AllPublicStreams   *bool            `json:"all_public_streams"`
	Narrow             *json.RawMessage `json:"narrow" forms:"narrow"`
	Capabilities       *json.RawMessage `json:"client_capabilities"`
	IdleQueueTimeout   *string          `json:"idle_queue_timeout"`
	QueueLifespan      *int             `json:"queue_lifespan_secs"`
}

// registration is a parsed registration.
type registration struct {
	spec  spec
	idle  time.Duration
	fetch []string // sections of the snapshot; nil: all

	presenceDays  *int
	presenceAfter *int64
}

// request returns the parameters passed to each section.
func (a registration) request() kit.Fetch {
	return kit.Fetch{Client: a.spec.Client, PresenceDays: a.presenceDays, PresenceAfter: a.presenceAfter}
}

// read checks and parses the parameters. Errors: BadRequest.
func (in registerReq) read(defaultIdle time.Duration, operators map[string]kit.Operator) (registration, error) {
	a := registration{}
	c := &a.spec.Client
	c.ApplyMarkdown = isTrue(in.ApplyMarkdown)
	c.ClientGravatar = in.ClientGravatar == nil || *in.ClientGravatar
	c.SlimPresence = isTrue(in.SlimPresence) || in.PresenceLast != nil
	a.spec.AllPublic = isTrue(in.AllPublicStreams)
	if in.PresenceHistory != nil && *in.PresenceHistory < 0 {
		return a, errs.Bad("presence_history_limit_days is too small")
	}
	a.presenceDays, a.presenceAfter = in.PresenceHistory, in.PresenceLast
	var err error
	if a.spec.Types, err = types("event_types", in.EventTypes); err != nil {
		return a, err
	}
	a.fetch = a.spec.Types
	if in.FetchEventTypes != nil {
		if a.fetch, err = types("fetch_event_types", in.FetchEventTypes); err != nil {
			return a, err
		}
	}
	if c.Subscribers, err = subscribers(in.IncludeSubscribers); err != nil {
		return a, err
	}
	if c.Capabilities, err = capabilities(in.Capabilities); err != nil {
		return a, err
	}
	if a.spec.Narrow, err = terms(in.Narrow, operators); err != nil {
		return a, err
	}
	a.idle, err = idleTime(in, defaultIdle)
	return a, err
}

func isTrue(b *bool) bool { return b != nil && *b }

// types returns a sorted copy of a list of event types without duplicates. A missing list (nil) requests all types, an
// empty list none. Overlong names are dropped, since unknown types match nothing.
func types(name string, list *[]string) ([]string, error) {
	if list == nil || *list == nil {
		return nil, nil
	}
	if len(*list) > maxTypes {
		return nil, errs.Bad("%s is too long (maximum %d)", name, maxTypes)
	}
	out := slices.DeleteFunc(slices.Clone(*list), func(t string) bool { return len(t) > maxTypeName })
	slices.Sort(out)
	return append([]string{}, slices.Compact(out)...), nil
}

// subscribers parses include_subscribers: a boolean or "partial", with or without quotes.
func subscribers(text *string) (event.SubscriberList, error) {
	if text == nil {
		return event.NoSubscribers, nil
	}
	switch strings.ToLower(strings.Trim(*text, `" `)) {
	case "true":
		return event.AllSubscribers, nil
	case "partial":
		return event.PartialSubscribers, nil
	case "false", "null", "":
		return event.NoSubscribers, nil
	}
	return event.NoSubscribers, errs.Bad("include_subscribers is not valid")
}

// capabilities parses client_capabilities: an object with boolean values. All keys are optional, and unknown keys are
// ignored.
func capabilities(raw *json.RawMessage) (event.Capabilities, error) {
	var c event.Capabilities
	if raw == nil {
		return c, nil
	}
	var given map[string]any
	if json.Unmarshal(*raw, &given) != nil {
		return c, errs.Bad("client_capabilities is not a dict")
	}
	for name, v := range given {
		if _, ok := v.(bool); !ok {
			return c, errs.Bad("client_capabilities[%q] is not a boolean", clip(name))
		}
	}
	if err := json.Unmarshal(*raw, &c); err != nil {
		return c, errs.Bad("client_capabilities is not valid").Because(err)
	}
	return c, nil
}

// terms parses a queue's narrow, which supports fewer operators than a search.
func terms(raw *json.RawMessage, operators map[string]kit.Operator) ([]narrow.Term, error) {
	if raw == nil {
		return nil, nil
	}
	if len(*raw) > maxNarrow {
		return nil, errs.Bad("narrow is too long (maximum %d bytes)", maxNarrow)
	}
	list, err := narrow.Parse(*raw)
	if err != nil {
		return nil, err
	}
	ofModules := 0
	for _, t := range list {
		o, ofModule := operators[t.Operator]
		switch t.Operator {
		case "channel", "topic", "sender", "is":
		default:
			if !ofModule || !o.ByMessage() {
				return nil, errs.Bad("Operator %s not supported.", clip(t.Operator))
			}
		}
		if t.Negated {
			return nil, errs.Bad("Negated terms are not supported in the narrow of a queue.")
		}
		var operand string
		if json.Unmarshal(t.Operand, &operand) != nil {
			return nil, errs.Bad("Invalid narrow: operand is not a string")
		}
		if !ofModule {
			continue
		}
		if ofModules++; ofModules > kit.MaxOperators {
			return nil, narrow.Bad("too many terms with " + t.Operator)
		}
		if _, err := o.Match(t); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// idleTime returns the lifetime that the client requests, at most maxIdle, or usual if it requests none.
func idleTime(in registerReq, usual time.Duration) (time.Duration, error) {
	seconds := 0
	if in.QueueLifespan != nil {
		seconds = *in.QueueLifespan
	}
	if in.IdleQueueTimeout != nil {
		switch text := strings.Trim(*in.IdleQueueTimeout, `" `); text {
		case "mobile":
			return mobileIdle, nil
		case "null", "":
		default:
			n, err := strconv.Atoi(text)
			if err != nil {
				return 0, errs.Bad("idle_queue_timeout is not valid")
			}
			seconds = n
		}
	}
	switch {
	case seconds < 0:
		return 0, errs.Bad("idle_queue_timeout is too small")
	case seconds == 0:
		return usual, nil
	}
	return time.Duration(min(seconds, int(maxIdle/time.Second))) * time.Second, nil
}

func clip(s string) string {
	if r := []rune(s); len(r) > 60 {
		return string(r[:60])
	}
	return s
}
