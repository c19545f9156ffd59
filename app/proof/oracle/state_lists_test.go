package oracle_test

import (
	"fmt"
	"maps"
)

// emoji applies an event with all emoji, or with single ones for clients that support that.
func (m *model) emoji(op string, e object) error {
	if one := m.client.can["individual_emoji_changes"]; (op == "update") == one {
		return fmt.Errorf("realm_emoji/%s to a client whose individual_emoji_changes is %v", op, one)
	}
	switch op {
	case "update":
		m.plain["realm_emoji"] = e["realm_emoji"]
	case "add":
		r := e["emoji"].(object)
		m.plain["realm_emoji"].(object)[r["id"].(string)] = r
	case "update_one":
		r, known := m.plain["realm_emoji"].(object)[e["emoji_id"].(string)].(object)
		if !known {
			return fmt.Errorf("realm_emoji/update_one of %v, which is not known", e["emoji_id"])
		}
		maps.Copy(r, e["data"].(object))
	default:
		return fmt.Errorf("unknown op %s", op)
	}
	return nil
}
