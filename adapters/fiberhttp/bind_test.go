package fiberhttp

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/modules/kit"
)

// either is a union: a word or a number.
type either struct {
	Word string
	N    int
}

func (e *either) UnmarshalJSON(b []byte) error {
	if json.Unmarshal(b, &e.N) == nil {
		return nil
	}
	if err := json.Unmarshal(b, &e.Word); err != nil {
		return errs.Bad("either must be a word or a number")
	}
	return nil
}

// list decodes itself from text: names separated by commas.
type list []string

func (l *list) UnmarshalText(b []byte) error {
	if len(b) == 0 {
		return fmt.Errorf("empty")
	}
	*l = strings.Split(string(b), ",")
	return nil
}

type policy string

type inner struct {
	Name  string  `json:"name"`
	Color *string `json:"color"`
	IDs   []int64 `json:"ids"`
}

type everything struct {
	ID      int64             `json:"id"`
	Topic   *string           `json:"topic" alias:"subject"`
	Content string            `json:"content" default:""`
	Flag    bool              `json:"flag" default:"false"`
	Maybe   *bool             `json:"maybe"`
	IDs     []int64           `json:"ids" default:"[]"`
	Subs    []inner           `json:"subs" default:"[]"`
	ByName  map[string]int    `json:"by_name" default:"{}"`
	ByID    map[int64]bool    `json:"by_id" default:"{}"`
	Either  *either           `json:"either"`
	List    list              `json:"list" default:"a,b"`
	Policy  policy            `json:"policy" default:"inherit"`
	Expires kit.Nullable[int] `json:"expires"`
	Share   float64           `json:"share" default:"0.5"`
	Small   uint8             `json:"small" default:"1"`
	Any     any               `json:"any" default:"null"`
	Key     string            `header:"Idempotency-Key"`
	_       int
}

func bindText(t testing.TB, dst any, query string) (ignored []string, err error) {
	t.Helper()
	p, err := newBinder(reflect.TypeOf(dst).Elem())
	if err != nil {
		t.Fatal(err)
	}
	in := &params{max: 500}
	if err := in.urlencoded(query, false); err != nil {
		return nil, err
	}
	header := func(name string) string { return "header " + name }
	return p.bind(dst, in, header, limits{depth: 32, elements: 50_000})
}

func TestBind(t *testing.T) {
	const rest = `"topic":null,"content":"","flag":false,"maybe":null,"ids":[],"subs":[],"by_name":{},"by_id":{},` +
		`"either":null,"list":["a","b"],"policy":"inherit",` +
		`"expires":{"Given":false,"Null":false,"Value":0},"share":0.5,"small":1,"any":null,"Key":"header Idempotency-Key"}`
	with := func(old, now string) string {
		if !strings.Contains(rest, old) {
			t.Fatalf("%s is not in the answer", old)
		}
		return `{"ID":5,` + strings.Replace(rest, old, now, 1)
	}
	for _, c := range []struct{ query, want string }{
		{"id=5", `{"ID":5,` + rest},
		{"id=+5%20", `{"ID":5,` + rest},
		{"id=5&topic=null", with(`"topic":null`, `"topic":"null"`)}, // raw text cannot be null
		{"id=5&subject=Lunch", with(`"topic":null`, `"topic":"Lunch"`)},
		{"id=5&topic=%22quoted%22", with(`"topic":null`, `"topic":"\"quoted\""`)},
		{"id=5&content=5", with(`"content":""`, `"content":"5"`)},
		{"id=5&flag=true", with(`"flag":false`, `"flag":true`)},
		{"id=5&flag=null", `{"ID":5,` + rest}, // the default
		{"id=5&maybe=null", `{"ID":5,` + rest},
		{"id=5&maybe=false", with(`"maybe":null`, `"maybe":false`)},
		{"id=5&ids=[1, 2,3 ]", with(`"ids":[]`, `"ids":[1,2,3]`)},
		{"id=5&ids=null", `{"ID":5,` + rest},
		{`id=5&subs=[{"name":"a\u0062c","x":[1,{"y":"]"}],"ids":[4]},{"color":null,"name":"%5C%22"}]`,
			with(`"subs":[]`, `"subs":[{"name":"abc","color":null,"ids":[4]},{"name":"\"","color":null,"ids":null}]`)},
		{`id=5&by_name={"a":1,"b":2}`, with(`"by_name":{}`, `"by_name":{"a":1,"b":2}`)},
		{`id=5&by_id={"7":true}`, with(`"by_id":{}`, `"by_id":{"7":true}`)},
		{"id=5&either=7", with(`"either":null`, `"either":{"Word":"","N":7}`)},
		{`id=5&either="seven"`, with(`"either":null`, `"either":{"Word":"seven","N":0}`)},
		{"id=5&list=x,y,z", with(`"list":["a","b"]`, `"list":["x","y","z"]`)},
		{"id=5&policy=strict", with(`"inherit"`, `"strict"`)},
		{"id=5&expires=null", with(`"Given":false,"Null":false`, `"Given":true,"Null":true`)},
		{"id=5&expires=30", with(`"Given":false,"Null":false,"Value":0`, `"Given":true,"Null":false,"Value":30`)},
		{"id=5&share=1e-1", with(`0.5`, `0.1`)},
		{`id=5&any={"a":[1,null]}`, with(`"any":null`, `"any":{"a":[1,null]}`)},
		{"&&id=5&", `{"ID":5,` + rest},
	} {
		var got everything
		ignored, err := bindText(t, &got, c.query)
		if err != nil || len(ignored) > 0 {
			t.Errorf("%s: %v, ignored %v", c.query, err, ignored)
			continue
		}
		b, err := json.Marshal(got)
		if err != nil {
			t.Fatal(err)
		}
		if have := strings.Replace(string(b), `"id"`, `"ID"`, 1); have != c.want {
			t.Errorf("%s\ngot  %s\nwant %s", c.query, have, c.want)
		}
	}
}

func TestBindRefuses(t *testing.T) {
	deep := strings.Repeat("[", 33) + strings.Repeat("]", 33)
	many := "[" + strings.Repeat("1,", 50_000) + "1]"
	for _, c := range []struct{ query, want string }{
		{"", `REQUEST_VARIABLE_MISSING Missing 'id' argument map[var_name:id]`},
		{"id=null", `REQUEST_VARIABLE_MISSING Missing 'id' argument map[var_name:id]`},
		{"id=5&id=6", `BAD_REQUEST Argument "id" was given more than once. map[]`},
		{"id=5&subject=a&topic=b", `REQUEST_CONFUSING_VAR Can't decide between 'topic' and 'subject' arguments ` +
			`map[var_name1:topic var_name2:subject]`},
		{"id=", `BAD_REQUEST Argument "id" is not valid JSON. map[]`},
		{"id=x", `BAD_REQUEST Argument "id" is not valid JSON. map[]`},
		{"id=5&ids=[1,", `BAD_REQUEST Argument "ids" is not valid JSON. map[]`},
		{"id=5&ids=[1]]", `BAD_REQUEST Argument "ids" is not valid JSON. map[]`},
		{`id="5"`, `BAD_REQUEST id is not an integer map[]`},
		{"id=5.0", `BAD_REQUEST id is not an integer map[]`},
		{"id=99999999999999999999", `BAD_REQUEST id is not an integer map[]`},
		{"id=5&small=-1", `BAD_REQUEST small is not an integer map[]`},
		{"id=5&small=256", `BAD_REQUEST small is not an integer map[]`},
		{"id=5&flag=1", `BAD_REQUEST flag is not a boolean map[]`},
		{"id=5&share=true", `BAD_REQUEST share is not a number map[]`},
		{"id=5&share=1e999", `BAD_REQUEST share is not a number map[]`},
		{"id=5&ids=7", `BAD_REQUEST ids is not a list map[]`},
		{`id=5&ids={"a":1}`, `BAD_REQUEST ids is not a list map[]`},
		{`id=5&ids=["a"]`, `BAD_REQUEST ids[0] is not an integer map[]`},
		{`id=5&ids=[1,null]`, `BAD_REQUEST ids[1] is not an integer map[]`},
		{`id=5&ids=[1,[2]]`, `BAD_REQUEST ids[1] is not an integer map[]`},
		{`id=5&subs=[1]`, `BAD_REQUEST subs[0] is not a dict map[]`},
		{`id=5&subs=[{},{"name":7}]`, `BAD_REQUEST subs[1]["name"] is not a string map[]`},
		{`id=5&subs=[{"ids":[true]}]`, `BAD_REQUEST subs[0]["ids"][0] is not an integer map[]`},
		{`id=5&by_name=[]`, `BAD_REQUEST by_name is not a dict map[]`},
		{`id=5&by_name={"a":"b"}`, `BAD_REQUEST by_name["a"] is not an integer map[]`},
		{`id=5&by_id={"a":true}`, `BAD_REQUEST by_id["a"] is not an integer map[]`},
		{`id=5&either=[]`, `BAD_REQUEST either must be a word or a number map[]`},
		{`id=5&expires="x"`, `BAD_REQUEST expires is not an integer map[]`},
		{`id=5&list=`, `BAD_REQUEST Invalid list map[]`},
		{"id=5&any=" + deep, `BAD_REQUEST Argument "any" is nested too deeply. map[]`},
		{"id=5&ids=" + many, `BAD_REQUEST Argument "ids" has too many elements. map[]`},
		{"id=5&content=%ff", `BAD_REQUEST Argument "content" is not valid UTF-8. map[]`},
		{"id=5&%ff=1", `BAD_REQUEST The name of a parameter is not valid UTF-8. map[]`},
		{"id=5&content=%zz", `BAD_REQUEST A parameter is not correctly URL-encoded. map[]`},
		{strings.Repeat("a=1&", 501), `BAD_REQUEST Too many parameters; at most 500 are accepted. map[]`},
	} {
		var got everything
		_, err := bindText(t, &got, c.query)
		var e *errs.Error
		if !errors.As(err, &e) {
			t.Errorf("%.60s: %v", c.query, err)
			continue
		}
		if have := fmt.Sprintf("%s %s %v", e.Code, e.Msg, e.Extra); have != c.want {
			t.Errorf("%.60s\ngot  %s\nwant %s", c.query, have, c.want)
		}
	}
}

func TestBindListsWhatIsIgnored(t *testing.T) {
	var got struct {
		ID int `json:"id"`
	}
	ignored, err := bindText(t, &got, "zeta=1&id=5&client=me&method=PATCH&dont_block=true&alpha=2&alpha=3")
	if err != nil || !reflect.DeepEqual(ignored, []string{"alpha", "dont_block", "zeta"}) {
		t.Errorf("%v, %v", ignored, err)
	}
}

func TestPlanRefuses(t *testing.T) {
	for _, c := range []struct {
		req  any
		want string
	}{
		{new(int), "must be a struct"},
		{new(struct{ Name string }), "has no json tag"},
		{new(struct {
			F func() `json:"f"`
		}), "can't be of type func()"},
		{new(struct {
			C []chan int `json:"c"`
		}), "can't be of type chan int"},
		{new(struct {
			A string `json:"a"`
			B string `json:"b" alias:"a"`
		}), `a second field is named "a"`},
		{new(struct {
			A bool `json:"a" default:"yes"`
		}), `default "yes"`},
		{new(struct {
			A int `header:"X-A"`
		}), "a header field must be a string"},
		{new(struct {
			A []struct{ B int } `json:"a"`
		}), "has no json tag"},
	} {
		_, err := newBinder(reflect.TypeOf(c.req).Elem())
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%T: %v; want %s", c.req, err, c.want)
		}
	}
	type self struct {
		Kids []self `json:"kids"`
		Next *self  `json:"next"`
	}
	var got struct {
		Root self `json:"root"`
	}
	if _, err := bindText(t, &got, `root={"kids":[{},{"kids":[{}]}],"next":{"next":null}}`); err != nil ||
		len(got.Root.Kids[1].Kids) != 1 {
		t.Errorf("a recursive type: %v %+v", err, got)
	}
}

func FuzzBind(f *testing.F) {
	f.Add(`id=5&subs=[{"name":"a","ids":[1,2]}]&any={"a":[null,"\u00e9"]}`)
	f.Add(`id=5&by_name={"a\"":1}&ids=[[[]]]&expires=null`)
	p, err := newBinder(reflect.TypeFor[everything]())
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, query string) {
		in := &params{max: 50}
		if in.urlencoded(query, true) != nil {
			return
		}
		var got everything
		_, err := p.bind(&got, in, func(string) string { return "" }, limits{depth: 8, elements: 100})
		if e := (*errs.Error)(nil); err != nil && !errors.As(err, &e) {
			t.Errorf("%q: %v is not a refusal", query, err)
		}
		// What bind accepts must equal what encoding/json reads.
		for _, q := range in.list {
			if q.name != "subs" || err != nil || isNull(q.value) {
				continue
			}
			var want []inner
			if err := json.Unmarshal([]byte(q.value), &want); err == nil && len(want) != len(got.Subs) {
				t.Errorf("%q: %d against %d", q.value, len(got.Subs), len(want))
			}
		}
	})
}
