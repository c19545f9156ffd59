package nodes

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/stoachat/stoa/adapters/bunstore"
)

// schemaOf identifies a set of migrations by a hash of their names.
func schemaOf(all []bunstore.Migrations) string {
	var names []string
	for _, m := range all {
		steps, err := bunstore.StepNames(m.FS)
		if err != nil {
			continue // starting the database reports it
		}
		for _, s := range steps {
			names = append(names, m.Module+"/migrations/sqlite/"+s+".sql") // as earlier versions named them
		}
	}
	slices.Sort(names)
	sum := sha256.Sum256([]byte(strings.Join(names, "\n")))
	return hex.EncodeToString(sum[:8])
}
