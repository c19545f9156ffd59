package format

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// mandatory lists the values without which the rest of a sample says nothing: the object of the event, or its name if
// that is all there is.
var mandatory = map[string][]string{
	"circleci":       {".type"}, // of a ping
	"forgejo":        {".pull_request"},
	"gitea":          {".pull_request", ".issue"},
	"github":         {".pull_request", ".issue", ".ref", ".release", ".workflow_run"},
	"jenkins":        {".build", ".build.phase"}, // of a build without a result
	"pagerduty":      {".event", ".event.data", ".event.event_type"},
	"sentry":         {".data", ".data.issue", ".data.event"},
	"slack_incoming": {".text", ".attachments", ".attachments[]"},
	"stripe":         {".data", ".data.object"},
	"uptimekuma":     {".msg"}, // of a test
}

// checkTypos replaces each value of a sample by values of other types. The rest must be posted all the same, unless the
// value is mandatory.
func checkTypos(t *testing.T, s sample) {
	t.Helper()
	one := find(t, s.integration)
	var payload any
	if json.Unmarshal([]byte(s.body), &payload) != nil {
		return
	}
	try := func(path string) {
		body, err := json.Marshal(payload)
		if err != nil {
			t.Fatal(err)
		}
		with := s
		with.body = string(body)
		m, err := one.Format(with.request())
		if err == nil && strings.TrimSpace(m.Content) != "" || s.want.Content == "" {
			return
		}
		if errors.Is(err, ErrSkip) || !slices.Contains(mandatory[s.integration], path) {
			t.Errorf("%s: without %s the payload is lost: %v", s.integration, path, err)
		}
	}
	eachValue(payload, "", func(path string, set func(any)) {
		for _, typo := range []any{nil, 7, "x", true, []any{}, []any{nil, "x"}, map[string]any{}, map[string]any{"a": 1}} {
			set(typo)
			try(path)
		}
	})
}

// eachValue calls f for each value inside of another, with a function that replaces it. The value is restored.
func eachValue(in any, path string, f func(path string, set func(any))) {
	switch in := in.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(in)) {
			old := in[key]
			eachValue(old, path+"."+key, f)
			f(path+"."+key, func(v any) { in[key] = v })
			in[key] = old
		}
	case []any:
		for i, old := range in {
			eachValue(old, path, f)
			f(fmt.Sprint(path, "[]"), func(v any) { in[i] = v })
			in[i] = old
		}
	}
}
