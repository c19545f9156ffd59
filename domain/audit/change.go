package audit

import (
	"bytes"
	"encoding/json"
	"maps"

	"github.com/stoachat/stoa/domain/ids"
	"github.com/stoachat/stoa/domain/plainjson"
)

// Changed returns the fact that an object has changed, with the fields in which the JSON of old and now differs. Either
// may be nil.
func Changed(r ids.Realm, a Action, t Target, old, now any) Fact {
	was, is := Differences(old, now)
	return Fact{Realm: r, Action: a, Target: t, Old: was, New: is}
}

// Differences returns the fields in which the JSON of two objects differs. Fields with the names in flat are objects
// whose own fields are compared instead.
func Differences(old, now any, flat ...string) (was, is Values) {
	a, b := fields(old, flat), fields(now, flat)
	return missing(a, b), missing(b, a)
}

// missing returns the fields of an object that another one lacks or has with a different value.
func missing(of, in map[string]json.RawMessage) Values {
	var out Values
	for name, v := range of {
		if !bytes.Equal(v, in[name]) {
			if out == nil {
				out = Values{}
			}
			out[name] = v
		}
	}
	return out
}

func fields(object any, flat []string) map[string]json.RawMessage {
	var all map[string]json.RawMessage
	text, err := plainjson.Marshal(object)
	if err != nil || json.Unmarshal(text, &all) != nil {
		return nil
	}
	for _, name := range flat {
		var inner map[string]json.RawMessage
		if json.Unmarshal(all[name], &inner) == nil {
			delete(all, name)
			maps.Copy(all, inner)
		}
	}
	return all
}
