package operate_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

const files = "../../../configs/prometheus"

// expressions returns the queries of the dashboard, and those of the alerts by name.
func expressions(t *testing.T) (dashboard []string, alerts map[string]string) {
	t.Helper()
	var grafana struct {
		Panels []struct {
			Targets []struct{ Expr string }
		}
		Templating struct {
			List []struct{ Query any }
		}
	}
	text, err := os.ReadFile(filepath.Join(files, "grafana.json"))
	if err == nil {
		err = json.Unmarshal(text, &grafana)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range grafana.Panels {
		for _, target := range p.Targets {
			dashboard = append(dashboard, target.Expr)
		}
	}
	var rules struct {
		Groups []struct {
			Rules []struct {
				Alert, Expr string
				Annotations map[string]string
			}
		}
	}
	if text, err = os.ReadFile(filepath.Join(files, "alerts.yaml")); err == nil {
		err = yaml.Unmarshal(text, &rules)
	}
	if err != nil {
		t.Fatal(err)
	}
	readme, err := os.ReadFile(filepath.Join(files, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	alerts = map[string]string{}
	for _, g := range rules.Groups {
		for _, r := range g.Rules {
			alerts[r.Alert] = r.Expr
			a := r.Annotations
			section := "#" + strings.ToLower(r.Alert)
			if a["summary"] == "" || a["description"] == "" || !strings.HasSuffix(a["runbook_url"], "README.md"+section) ||
				!strings.Contains(string(readme), "\n### "+r.Alert+"\n") {
				t.Errorf("%s lacks a text, or a section in README.md", r.Alert)
			}
		}
	}
	return dashboard, alerts
}

// absent are metrics that this server does not have: it makes no backups, its address does not begin with https, and
// the secret of tests is not in a file.
var absent = []string{
	"stoa_backup_last_success_timestamp_seconds", "stoa_tls_not_after_seconds", "stoa_secret_age_seconds",
}

var (
	metric   = regexp.MustCompile(`\b(?:stoa|go|process)_[a-z0-9_]+|\bup\b`)
	selector = regexp.MustCompile(`([a-z_0-9]+)\{([^}]*)\}`)
	grouped  = regexp.MustCompile(`\b(?:by|without) \(([a-z_, ]*)\)`)
	label    = regexp.MustCompile(`([a-z_]+)(?:=~|!~|!=|=)"`)
)

// TestFiles checks that every metric in the dashboard and in the alerts exists, with the labels they use, and that the
// dashboard shows every metric of the server.
func TestFiles(t *testing.T) {
	s := measured(t)
	scripted(t, s)
	p := scrape(t, s)
	labels := map[string][]string{"up": nil, "stoa_sqlite_wal_bytes": nil} // the latter is missing on PostgreSQL
	all := []string{"job", "instance", "le"}                               // added by Prometheus, and le of histograms
	for _, one := range p {
		for name := range one.labels {
			if name == "job" {
				name = "exported_job"
			}
			labels[one.name] = append(labels[one.name], name)
			all = append(all, name)
		}
		labels[one.name] = append(labels[one.name], "job", "instance")
	}
	dashboard, alerts := expressions(t)
	if len(dashboard) < 50 || len(alerts) != 12 {
		t.Fatalf("%d queries, %d alerts", len(dashboard), len(alerts))
	}
	queries := dashboard
	for _, q := range alerts {
		queries = append(queries, q)
	}
	for _, q := range queries {
		for _, name := range metric.FindAllString(q, -1) {
			if _, ok := labels[name]; !ok && !slices.Contains(absent, name) {
				t.Errorf("there is no %s, in %s", name, q)
			}
		}
		for _, m := range selector.FindAllStringSubmatch(q, -1) {
			for _, l := range label.FindAllStringSubmatch(m[2], -1) {
				if !slices.Contains(labels[m[1]], l[1]) && !slices.Contains([]string{"job", "instance"}, l[1]) {
					t.Errorf("%s has no label %s, in %s", m[1], l[1], q)
				}
			}
		}
		for _, m := range grouped.FindAllStringSubmatch(q, -1) {
			for l := range strings.SplitSeq(m[1], ", ") {
				if !slices.Contains(all, l) {
					t.Errorf("no metric has the label %s, in %s", l, q)
				}
			}
		}
	}
	for _, name := range families(p) {
		if !strings.Contains(strings.Join(dashboard, "\n"), name) {
			t.Errorf("the dashboard does not show %s", name)
		}
	}
}
