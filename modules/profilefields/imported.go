package profilefields

import (
	"encoding/json"

	"github.com/stoachat/stoa/domain/importing"
)

// adaptField leaves an imported field as it is: it contains no IDs.
func adaptField(importing.Mapping, *fieldRow) (bool, error) { return true, nil }

// adaptProfile translates the fields and people in an imported profile.
func adaptProfile(m importing.Mapping, r *profileRow) (bool, error) {
	var values map[string]json.RawMessage
	if err := json.Unmarshal([]byte(r.Values), &values); err != nil {
		return false, err
	}
	out := map[string]json.RawMessage{}
	for field, value := range values {
		if field = m.Text("profile_fields", field); field != "" {
			out[field] = people(m, value)
		}
	}
	text, err := json.Marshal(out)
	r.Values = string(text)
	return len(out) > 0, err
}

// people translates the value of a field that names people, as a list of IDs; no other value is a list.
func people(m importing.Mapping, value json.RawMessage) json.RawMessage {
	var ids []int64
	if json.Unmarshal(value, &ids) != nil {
		return value
	}
	out, err := json.Marshal(m.IDs("users", ids))
	if err != nil {
		return value
	}
	return out
}
