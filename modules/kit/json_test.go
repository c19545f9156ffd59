package kit_test

import (
	"errors"
	"testing"

	"github.com/stoachat/stoa/modules/kit"
)

type rawJSON string

func (w rawJSON) Size() int { return len(w) }

func (w rawJSON) AppendJSON(b []byte) ([]byte, error) {
	if w == "" {
		return nil, errors.New("nothing to write")
	}
	return append(b, w...), nil
}

func TestObject(t *testing.T) {
	for _, c := range []struct {
		o    kit.Object
		want string
	}{
		{nil, `{}`},
		{kit.Object{"b": 1, "a": "<x>", `"`: nil}, `{"\"":null,"a":"<x>","b":1}`},
		{kit.Object{"a": "x y~", "b": "", "c": "\\", "d": "\t", "e": "é", "f": "\xff\x7f"},
			`{"a":"x y~","b":"","c":"\\","d":"\t","e":"é","f":"\ufffd` + "\x7f" + `"}`},
		{kit.Object{"own": rawJSON(`[1, 2]`), "within": kit.Object{"x": rawJSON(`{}`)}, "z": []int{}},
			`{"own":[1, 2],"within":{"x":{}},"z":[]}`},
	} {
		got, err := c.o.AppendJSON([]byte("begun:"))
		if err != nil || string(got) != "begun:"+c.want {
			t.Errorf("got %s, %v; want %s", got, err, c.want)
		}
	}
	for _, bad := range []any{func() {}, rawJSON(""), kit.Object{"in": rawJSON("")}} {
		if got, err := (kit.Object{"a": 1, "bad": bad}).AppendJSON(nil); err == nil {
			t.Errorf("%T became %s", bad, got)
		}
	}
	if n := (kit.Object{"a": rawJSON("1234567890"), "b": kit.Object{"c": rawJSON("123")}}).Size(); n < 13 || n > 500 {
		t.Errorf("a capacity of %d bytes", n)
	}
}
