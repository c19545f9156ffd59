package importing_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stoachat/stoa/domain/importing"
)

func TestSeconds(t *testing.T) {
	for text, want := range map[string]string{
		"1716379200.123456":    "2024-05-22T12:00:00.123456Z",
		"1716379200.1234560":   "2024-05-22T12:00:00.123456Z",
		"1716379200":           "2024-05-22T12:00:00Z",
		"":                     "",
		"NaN":                  "",
		"-1":                   "",
		"1e9":                  "",
		"1716379200.12x":       "",
		"99999999999999999999": "",
	} {
		at, err := importing.Seconds(text)
		if got := at.Format(time.RFC3339Nano); err == nil && got != want || (err != nil) != (want == "") {
			t.Errorf("%q: got %s, %v", text, got, err)
		}
	}
}

func TestCheckTime(t *testing.T) {
	now := time.Unix(1_000_000, 0)
	for at, ok := range map[time.Time]bool{
		{}: false, time.Unix(0, 0): false, time.Unix(1, 0): true, now.Add(23 * time.Hour): true,
		now.Add(25 * time.Hour): false,
	} {
		if err := importing.CheckTime(at, now); (err == nil) != ok {
			t.Errorf("%v: %v", at, err)
		}
	}
}

func TestDecode(t *testing.T) {
	var to any
	if err := importing.Decode([]byte(`{"a":[1,"[[\"["]}`), &to); err != nil {
		t.Error(err)
	}
	if err := importing.Decode([]byte(strings.Repeat("[", 65)+strings.Repeat("]", 65)), &to); err == nil {
		t.Error("65 levels were accepted")
	}
}

func TestLines(t *testing.T) {
	var got []string
	text := "{}\n\n \n[1]\n" + strings.Repeat("x", importing.MaxValue+1) + "\nlast"
	err := importing.Lines(strings.NewReader(text), func(n int, line []byte) error {
		got = append(got, string(line))
		return nil
	})
	if err != nil || strings.Join(got, "|") != "{}|[1]||last" {
		t.Errorf("got %.100q, %v", got, err)
	}
}

func TestElements(t *testing.T) {
	for text, want := range map[string]string{
		`[]`: "", ` [ 1 , {"a":[",]"]},"\"]" ] `: `1|{"a":[",]"]}|"\"]"`, `[broken{, next}, 2]`: "broken{, next}|2",
		`["` + strings.Repeat("x", importing.MaxValue) + `",3]`: "|3",
	} {
		var got []string
		err := importing.Elements(strings.NewReader(text), func(_ int, e json.RawMessage) error {
			got = append(got, string(e))
			return nil
		})
		if err != nil || strings.Join(got, "|") != want {
			t.Errorf("%.100q: got %.100q, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "{}", "[", "[1", "[,1]", "[1,]", "[}]", "null"} {
		if err := importing.Elements(strings.NewReader(text), func(int, json.RawMessage) error { return nil }); err == nil {
			t.Errorf("%q was accepted", text)
		}
	}
	n := 0
	err := importing.Elements(strings.NewReader(`[{"a":1},2,`), func(int, json.RawMessage) error { n++; return nil })
	if n != 2 || err == nil {
		t.Errorf("%d elements, %v", n, err)
	}
}

func TestReport(t *testing.T) {
	r := importing.NewReport()
	r.Passed(importing.Messages, nil)
	r.Passed(importing.Messages, &importing.Loss{Reason: "too long", Where: "a.json:1"})
	for range 30 {
		r.Count(importing.Messages, importing.Refused, "no time", "b.json:2")
	}
	want := importing.Count{Kind: importing.Messages, Imported: 1, Converted: 1, Refused: 30}
	if got := r.Of(importing.Messages); got != want {
		t.Errorf("got %+v", got)
	}
	if why := r.Reasons(); len(why) != 2 || why[0].Count != 30 || len(why[0].Examples) != 20 {
		t.Errorf("got %+v", why)
	}
}
