package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"
	"text/template"

	"github.com/Masterminds/sprig/v3"
	apps "k8s.io/api/apps/v1"
	batch "k8s.io/api/batch/v1"
	core "k8s.io/api/core/v1"
	networking "k8s.io/api/networking/v1"
	policy "k8s.io/api/policy/v1"
	"sigs.k8s.io/yaml"
)

// TestChart renders the chart with each file of values in testdata/chart, checks the result against the types of
// Kubernetes, which refuse unknown fields, and compares it with a golden file.
func TestChart(t *testing.T) {
	r, _, _ := sample(t)
	for _, name := range []string{"default", "sqlite", "postgres", "recreate"} {
		values, err := r.read("app/release/testdata/chart/" + name + ".yaml")
		if err != nil {
			t.Fatal(err)
		}
		c := load(t, r)
		c.files["alerts.yaml"] = []byte("groups: []\n")
		text, err := c.render(values[0].data)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		check(t, text)
		checkSelectors(t, text)
		golden(t, "chart/"+name+".golden.yaml", text)
	}
}

func TestChartRefuses(t *testing.T) {
	r, _, _ := sample(t)
	for values, want := range map[string]string{
		"ingress: {enabled: true}":                                  "ingress.hosts is empty",
		"httpRoute: {enabled: true}":                                "httpRoute.parentRefs is empty",
		"serviceMonitor: {enabled: true}\nmetrics: {enabled: true}": "needs existingSecret",
		"serviceMonitor: {enabled: true}\nexistingSecret: x":        "needs metrics.enabled",
	} {
		if _, err := load(t, r).render([]byte(values)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", values, err, want)
		}
	}
}

// TestChartSchema checks that the schema describes every value.
func TestChartSchema(t *testing.T) {
	r, _, _ := sample(t)
	c := load(t, r)
	var schema struct{ Properties map[string]any }
	if err := json.Unmarshal(c.files["values.schema.json"], &schema); err != nil {
		t.Fatal(err)
	}
	delete(schema.Properties, "global") // Helm's own
	known, described := slices.Sorted(maps.Keys(c.values)), slices.Sorted(maps.Keys(schema.Properties))
	if !slices.Equal(known, described) {
		t.Errorf("values.yaml has the keys\n%v, and the schema\n%v", known, described)
	}
}

func TestChartArchive(t *testing.T) {
	r, _, _ := sample(t)
	files, err := r.chartContent()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if f.path == "stoa/Chart.yaml" && !strings.Contains(string(f.data), "\nversion: 1.2.3\nappVersion: 1.2.3\n") {
			t.Errorf("Chart.yaml:\n%s", f.data)
		}
	}
	if err := r.chart(); err != nil {
		t.Fatal(err)
	}
}

// chart renders templates as Helm does, as far as this chart needs it.
type chart struct {
	files  map[string][]byte
	values map[string]any
	meta   map[string]any
}

func load(t *testing.T, r release) *chart {
	t.Helper()
	all, err := r.chartContent()
	if err != nil {
		t.Fatal(err)
	}
	c := &chart{files: map[string][]byte{}}
	for _, f := range all {
		c.files[strings.TrimPrefix(f.path, "stoa/")] = f.data
	}
	var meta map[string]any
	err = errors.Join(yaml.Unmarshal(c.files["values.yaml"], &c.values), yaml.Unmarshal(c.files["Chart.yaml"], &meta))
	if err != nil {
		t.Fatal(err)
	}
	c.meta = map[string]any{"Name": meta["name"], "Version": meta["version"], "AppVersion": meta["appVersion"]}
	return c
}

// Get returns a file of the chart, for .Files.Get.
func (c *chart) Get(name string) string { return string(c.files[name]) }

func (c *chart) render(values []byte) (string, error) {
	var own map[string]any
	if err := yaml.Unmarshal(values, &own); err != nil {
		return "", err
	}
	all := template.New("chart").Option("missingkey=error")
	funcs := sprig.TxtFuncMap()
	delete(funcs, "env")
	funcs["include"] = func(name string, data any) (string, error) {
		var b strings.Builder
		err := all.ExecuteTemplate(&b, name, data)
		return b.String(), err
	}
	funcs["toYaml"] = func(v any) (string, error) {
		text, err := yaml.Marshal(v)
		return strings.TrimSuffix(string(text), "\n"), err
	}
	funcs["required"] = func(message string, v any) (any, error) {
		if v == nil || v == "" {
			return nil, errors.New(message)
		}
		return v, nil
	}
	all.Funcs(funcs)
	names := slices.Sorted(maps.Keys(c.files))
	for _, name := range names {
		if strings.HasPrefix(name, "templates/") {
			if _, err := all.New(name).Parse(string(c.files[name])); err != nil {
				return "", err
			}
		}
	}
	data := map[string]any{
		"Values": overlaid(c.values, own), "Chart": c.meta, "Files": c,
		"Release": map[string]any{"Name": "chat", "Namespace": "team", "Service": "Helm"},
	}
	var out strings.Builder
	for _, name := range names {
		if path.Dir(name) != "templates" || strings.HasPrefix(path.Base(name), "_") {
			continue
		}
		var b bytes.Buffer
		if err := all.ExecuteTemplate(&b, name, data); err != nil {
			return "", fmt.Errorf("%s: %w", name, err)
		}
		if text := strings.TrimSpace(b.String()); text != "" && path.Ext(name) == ".yaml" {
			out.WriteString("---\n# " + name + "\n" + text + "\n")
		}
	}
	return out.String(), nil
}

// overlaid returns values with others over them.
func overlaid(base, over map[string]any) map[string]any {
	out := maps.Clone(base)
	for k, v := range over {
		a, ok := out[k].(map[string]any)
		b, too := v.(map[string]any)
		if ok && too {
			v = overlaid(a, b)
		}
		out[k] = v
	}
	return out
}

// checkSelectors checks that the service selects the pods of the server, and not those of the Job that migrates the
// database.
func checkSelectors(t *testing.T, text string) {
	t.Helper()
	var selector map[string]string
	pods := map[string]map[string]string{}
	for manifest := range strings.SplitSeq(text, "---\n") {
		var m struct {
			Kind string
			Spec struct {
				Selector any
				Template struct {
					Metadata struct{ Labels map[string]string }
				}
			}
		}
		if err := yaml.Unmarshal([]byte(manifest), &m); err != nil {
			t.Fatal(err)
		}
		if all, ok := m.Spec.Selector.(map[string]any); ok && m.Kind == "Service" {
			selector = map[string]string{}
			for k, v := range all {
				selector[k] = fmt.Sprint(v)
			}
		}
		if labels := m.Spec.Template.Metadata.Labels; labels != nil {
			pods[m.Kind] = labels
		}
	}
	for kind, labels := range pods {
		matches := true
		for k, v := range selector {
			matches = matches && labels[k] == v
		}
		if len(selector) == 0 || matches == (kind == "Job") {
			t.Errorf("the service selects %v; the pods of the %s have %v", selector, kind, labels)
		}
	}
}

// check decodes all manifests strictly.
func check(t *testing.T, text string) {
	t.Helper()
	for manifest := range strings.SplitSeq(text, "---\n") {
		var kind struct{ APIVersion, Kind string }
		if err := yaml.Unmarshal([]byte(manifest), &kind); err != nil {
			t.Fatalf("%v\n%s", err, manifest)
		}
		var into any
		switch kind.APIVersion + " " + kind.Kind {
		case " ", "monitoring.coreos.com/v1 ServiceMonitor", "monitoring.coreos.com/v1 PrometheusRule",
			"gateway.networking.k8s.io/v1 HTTPRoute":
			continue
		case "apps/v1 StatefulSet":
			into = &apps.StatefulSet{}
		case "batch/v1 Job":
			into = &batch.Job{}
		case "apps/v1 Deployment":
			into = &apps.Deployment{}
		case "v1 Secret":
			into = &core.Secret{}
		case "v1 Service":
			into = &core.Service{}
		case "v1 ServiceAccount":
			into = &core.ServiceAccount{}
		case "networking.k8s.io/v1 Ingress":
			into = &networking.Ingress{}
		case "networking.k8s.io/v1 NetworkPolicy":
			into = &networking.NetworkPolicy{}
		case "policy/v1 PodDisruptionBudget":
			into = &policy.PodDisruptionBudget{}
		default:
			t.Errorf("unknown kind %s %s", kind.APIVersion, kind.Kind)
			continue
		}
		if err := yaml.UnmarshalStrict([]byte(manifest), into); err != nil {
			t.Errorf("%s: %v\n%s", kind.Kind, err, manifest)
		}
	}
}
