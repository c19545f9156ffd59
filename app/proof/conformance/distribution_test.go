package conformance_test

import (
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stoachat/stoa/modules/kit"
)

// distribution returns the statements that place the tables on the servers of Citus: a table is distributed by realm if
// nothing is lacking, and replicated if it belongs to no realm.
func distribution(declared []kit.Table, lacks map[string]string) string {
	owned := map[string]bool{}
	for _, table := range declared {
		owned[table.Name] = table.Owner.Of != "" && table.Name != "realms"
	}
	var replicated, distributed []string
	for _, name := range slices.Sorted(maps.Keys(lacks)) {
		_, known := owned[name]
		switch {
		case owned[name] && lacks[name] == "", !known && lacks[name] == "": // the kernel's tables are not declared
			distributed = append(distributed, fmt.Sprintf("SELECT create_distributed_table('%s', 'realm_id');\n", name))
		case !owned[name]:
			replicated = append(replicated, fmt.Sprintf("SELECT create_reference_table('%s');\n", name))
		}
	}
	return strings.Join(replicated, "") + strings.Join(distributed, "") +
		"-- The other tables stay on the coordinator.\n"
}

// checkDistribution compares the statements with those in the documentation.
func checkDistribution(t *testing.T, want string) {
	t.Helper()
	const file = "../../../configs/scale.md"
	text, err := os.ReadFile(file)
	must(t, err)
	block := regexp.MustCompile("(?s)```sql\n(.*?)```")
	if got := block.FindSubmatch(text); got != nil && string(got[1]) == want {
		return
	}
	if *update {
		text = block.ReplaceAllLiteral(text, []byte("```sql\n"+want+"```"))
		must(t, os.WriteFile(file, text, 0o600))
		return
	}
	t.Errorf("the statements in %s are not those of the tables; -update writes them:\n%s", file, want)
}
