package events

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/stoachat/stoa/modules/kit"
)

// The types in this file describe responses that encode themselves.

// registered is the response of POST /register.
type registered struct {
	QueueID     *string `json:"queue_id" doc:"The event queue; null for clients without login, which get none."`
	LastEventID int64   `json:"last_event_id" doc:"The ID after which the events of the queue begin."`
	IdleTimeout int64   `json:"idle_queue_timeout_secs,omitempty"`
	serverKeys
	kit.AllSections
	kit.AllKeys
	fallbacks
}

// serverKeys are those of describe.
type serverKeys struct {
	Level     int    `json:"service_feature_level"`
	Version   string `json:"service_version"`
	MergeBase string `json:"service_merge_base"`
}

// fallbacks are required keys that no module provides.
type fallbacks struct {
	Billing      billing        `json:"realm_billing,omitzero"`
	Filters      []any          `json:"realm_filters,omitempty"`
	EmbeddedBots []any          `json:"realm_embedded_bots,omitempty"`
	StopWords    []string       `json:"stop_words,omitempty"`
	Zoom         bool           `json:"has_zoom_token,omitempty"`
	GiphyKey     string         `json:"giphy_api_key,omitempty"`
	TenorKey     string         `json:"tenor_api_key,omitempty"`
	PushDevices  map[string]any `json:"push_devices,omitempty"`
	Time         float64        `json:"server_timestamp,omitempty"`
}

type billing struct {
	Pending bool `json:"has_pending_sponsorship_request"`
}

// registeredKeys returns a value of a struct type with the fields of registered and, unless a module describes them,
// the required keys.
func registeredKeys() any {
	var keys []reflect.StructField
	for _, k := range requiredKeys() {
		keys = append(keys, reflect.StructField{
			Name: strings.ToUpper(k.key[:1]) + k.key[1:], Type: reflect.TypeOf(k.value),
			Tag: reflect.StructTag(fmt.Sprintf(`json:"%s,omitempty" doc:"Empty, because no module provides it."`, k.key)),
		})
	}
	embedded := func(name string, t reflect.Type) reflect.StructField {
		return reflect.StructField{Name: name, Type: t, Anonymous: true}
	}
	return reflect.Zero(reflect.StructOf([]reflect.StructField{
		embedded("Registered", reflect.TypeFor[registered]()), embedded("Required", reflect.StructOf(keys)),
	})).Interface()
}

// polled is the response of GET /events.
type polled struct {
	Events  []kit.AnyClientEvent `json:"events"`
	QueueID string               `json:"queue_id"`
}

// restart is the event of a server that has started again.
type restart struct {
	serverKeys
	Generation int64 `json:"server_generation"`
}

// ownEvents are the events that no module logs.
func ownEvents() []kit.AnyEvent {
	return []kit.AnyEvent{
		kit.Event[kit.None]("heartbeat", "").Any(),
		kit.Event[restart]("restart", "").Any(),
	}
}
