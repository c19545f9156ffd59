package cli_test

import (
	"context"
	"flag"
	"os"
	"strings"
	"testing"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/app/internal/cli"
	"github.com/stoachat/stoa/domain/declared"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/standard"
)

var update = flag.Bool("update", false, "write modules/map.txt")

// TestModulesMap compares the map of the standard modules with the file for readers of the source.
func TestModulesMap(t *testing.T) {
	const file = "../../../modules/map.txt"
	got := stoa(t, "", "modules", "--map").ok(t).out
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil || string(want) != got {
		t.Errorf("modules/map.txt is out of date (%v): run make generate", err)
	}
}

// TestModulesMapNames checks that the map contains the names that only some modules declare.
func TestModulesMapNames(t *testing.T) {
	parts := kit.Parts{
		Bots:     []string{"cards"},
		Rates:    []kit.RateClass{{Name: "sent", Doc: "Limits cards.", PerUser: 1}},
		Settings: []declared.Any{declared.ForUser("shows_cards", declared.Bool(true), "Show cards", "Others see them.")},
		Markdown: []kit.Construct{kit.MarkdownBlock("card", "A card.",
			func(context.Context, kit.Written) (string, error) { return "", nil })},
		Operators: []kit.Operator{kit.OperatorByMessage("card", "Selects cards.",
			func(string) (func(*message.Message) bool, error) { return nil, nil })},
		Slash: []kit.SlashCommand{kit.Slash("card", kit.Members,
			func(context.Context, kit.Actor, kit.Slashed) (string, error) { return "", nil }, "Sends a card.")},
	}
	cards := kit.Define("cards", "Has names.", kit.None{},
		func(kit.None, struct{ fx.In }) (kit.Parts, error) { return parts, nil })
	got := call(t, cli.Call{
		Args: []string{"modules", "--map"}, In: strings.NewReader(""), Modules: append(standard.Modules(), cards),
	}).ok(t).out
	for _, name := range []string{
		"bot cards", "rate class cards.sent", "setting shows_cards", "Markdown ```card", "operator card",
		"slash command /card",
	} {
		if !strings.Contains(got, "\n"+name+"\n    cards\n") {
			t.Errorf("the map lacks %s", name)
		}
	}
}
