package conformance_test

import (
	"context"
	"log/slog"
	"reflect"
	"strings"
	"testing"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/app/proof/internal/harness"
	domain "github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/modules/accounts"
	"github.com/stoachat/stoa/modules/events"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/realm"
)

// describing returns a module that describes the server with a key.
func describing(name, key string) kit.Module {
	return kit.Define(name, "Describes the server.", kit.None{}, func(kit.None, struct{ fx.In }) (kit.Parts, error) {
		keys := reflect.StructOf([]reflect.StructField{{
			Name: "Key", Type: reflect.TypeFor[string](), Tag: reflect.StructTag(`json:"` + key + `" doc:"A key."`),
		}})
		return kit.Parts{Keys: []kit.Keys{{Of: keys, Public: true}}, Answers: []kit.Answer{kit.Answers(
			func(context.Context, domain.Description) (map[string]any, error) {
				return map[string]any{key: name}, nil
			},
		)}}, nil
	})
}

// TestKeysAreDescribedOnce checks that no two modules describe the server or a realm with the same key.
func TestKeysAreDescribedOnce(t *testing.T) {
	harness.SQLiteSuffices(t, "modules answer from memory")
	ask := func(s *kittest.Server) []*kittest.Response {
		return []*kittest.Response{
			s.Anonymous().Do("GET /server_settings"), s.As("olga").Do("POST /register"),
		}
	}
	for _, a := range ask(startAll(t)) {
		a.OK()
	}
	few := []kit.Module{accounts.Module, realm.Module, events.Module, describing("one", "a")}
	for _, a := range ask(start(t, kittest.Options{}, append(few, describing("two", "b"))...)) {
		a.OK()
	}
	var log kittest.Lines
	options := kittest.Options{Log: slog.New(slog.NewTextHandler(&log, nil))}
	for _, a := range ask(start(t, options, append(few, describing("two", "a"))...)) {
		a.Error(500, "INTERNAL_SERVER_ERROR", "")
	}
	if !strings.Contains(log.String(), "two modules describe a") {
		t.Errorf("the log does not name the key: %s", log.String())
	}
}
