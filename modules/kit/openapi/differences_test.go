package openapi_test

import (
	"strings"
	"testing"

	"github.com/stoachat/stoa/modules/kit/openapi"
)

// TestDifferences compares two versions of a document.
func TestDifferences(t *testing.T) {
	const older = `{"paths":{
		"/cakes":{"get":{"operationId":"getCakes","parameters":[
			{"name":"size","schema":{"type":"string","enum":["small","large"]}},{"name":"old","schema":{"type":"string"}}]},
			"post":{"operationId":"bakeCake"}},
		"/pies":{"get":{"operationId":"getPies","parameters":[{"name":"size","schema":{"type":"string"}}]}}},
		"components":{"schemas":{
			"BakeCakeRequest":{"properties":{"name":{"type":"string"}}},
			"Cake":{"required":["id","kind"],"properties":{"id":{"type":"integer"},"kind":{"enum":["a","b"]},
				"baker":{"type":"string"},"gone":{"type":"string"}}}}}}`
	newer := strings.NewReplacer(
		`{"name":"old","schema":{"type":"string"}}`, `{"name":"shape","schema":{"type":"string"}}`,
		`"small","large"`, `"large","huge"`,
		`"/pies":{"get":{"operationId":"getPies","parameters":[{"name":"size","schema":{"type":"string"}}]}}`,
		`"/tarts":{"get":{"operationId":"getTarts","parameters":[{"name":"size","required":true,"schema":{}}]}}`,
		`{"properties":{"name"`, `{"required":["name","oven"],"properties":{"oven":{"type":"string"},"name"`,
		`:{"type":"string"}}},`, `:{"type":"string","maxLength":9}}},`,
		`"required":["id","kind"]`, `"required":["id","baker"]`,
		`"enum":["a","b"]`, `"enum":["a","c"]`,
		`"baker":{"type":"string"},"gone":{"type":"string"}`, `"baker":{"type":["string","null"]}`,
	).Replace(older)
	all, err := openapi.Differences([]byte(older), []byte(newer))
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	for _, d := range all {
		got.WriteString(map[bool]string{true: "! ", false: "  "}[d.Breaking] + d.Text + "\n")
	}
	const want = `  Cake.baker: always sent now
! Cake.baker: may be null
! Cake.gone: removed
  Cake.kind: may be "c"
! Cake.kind: no longer "b"
! Cake.kind: not always sent now
! bakeCake.name: at most 9 now
! bakeCake.name: required now
! bakeCake.oven: added, and required
! getCakes.old: removed
  getCakes.shape: added
  getCakes.size: may be "huge"
! getCakes.size: no longer "small"
! getPies: removed
  getTarts: added
`
	if got.String() != want {
		t.Errorf("got\n%swant\n%s", got.String(), want)
	}
	if _, err := openapi.Differences([]byte(`{}`), []byte(newer)); err == nil {
		t.Error("a document without operations is accepted")
	}
}
