package format

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// alerts is the payload of Alertmanager. Grafana's payload contains the same fields.
type alerts struct {
	Version           string            `json:"version"`
	Status            string            `json:"status"`
	GroupLabels       map[string]string `json:"groupLabels"`
	CommonLabels      map[string]string `json:"commonLabels"`
	CommonAnnotations map[string]string `json:"commonAnnotations"`
	ExternalURL       string            `json:"externalURL"`
	TruncatedAlerts   int               `json:"truncatedAlerts"`
	Alerts            []alert           `json:"alerts"`
}

type alert struct {
	Status       string            `json:"status"`
	Labels       map[string]string `json:"labels"`
	Annotations  map[string]string `json:"annotations"`
	GeneratorURL string            `json:"generatorURL"`
	Values       string            `json:"valueString"`  // Grafana
	SilenceURL   string            `json:"silenceURL"`   // Grafana
	PanelURL     string            `json:"panelURL"`     // Grafana
	DashboardURL string            `json:"dashboardURL"` // Grafana
	ImageURL     string            `json:"imageURL"`     // Grafana
	Readings     map[string]string `json:"values"`       // Grafana, instead of the text
}

func alertmanager() Integration {
	return Integration{
		Name: "alertmanager", Display: "Alertmanager", DoubleEscaped: true,
		Options: []Option{
			{"name", "Label that names the topic (default alertname)", "check_string"},
			{"desc", "Annotations that describe an alert, separated by commas", "check_string"},
		},
		Format: func(r Request) (Message, error) {
			var p alerts
			if err := r.decode(&p); err != nil {
				return Message{}, err
			}
			if len(p.Alerts) == 0 && len(p.CommonLabels)+len(p.GroupLabels)+len(p.CommonAnnotations) > 0 {
				labels := p.CommonLabels
				if len(labels) == 0 {
					labels = p.GroupLabels
				}
				p.Alerts = []alert{{Labels: labels, Annotations: p.CommonAnnotations, GeneratorURL: p.ExternalURL}}
			}
			if len(p.Alerts) == 0 {
				return Message{}, anomalous("alerts")
			}
			label := cmp.Or(r.Params["name"], "alertname")
			topic := cmp.Or(line(p.GroupLabels[label]), line(p.CommonLabels[label]), line(p.Alerts[0].Labels[label]), "alerts")
			desc := strings.Split(cmp.Or(r.Params["desc"], "summary,description,message"), ",")
			byStatus := map[string][]string{}
			for _, a := range p.Alerts {
				status := strings.ToLower(cmp.Or(line(a.Status), line(p.Status), "unknown"))
				byStatus[status] = append(byStatus[status], link(a.describe(desc, label), a.GeneratorURL))
			}
			var parts []string
			for _, status := range slices.Sorted(maps.Keys(byStatus)) { // firing, resolved
				all := byStatus[status]
				emoji := cmp.Or(map[string]string{"firing": ":alert:", "resolved": ":squared_ok:"}[status], ":info:")
				parts = append(parts, fmt.Sprintf("%s **%s** (%d)%s", emoji, strings.ToUpper(title(status)), len(all),
					list(all, 20)))
				if len(parts) == 5 {
					break
				}
			}
			if p.TruncatedAlerts > 0 {
				parts = append(parts, plural(p.TruncatedAlerts, "alert")+" left out.")
			}
			return Message{Topic: topic, Content: strings.Join(parts, "\n\n")}, nil
		},
	}
}

// describe returns the first of the given annotations that is present, or else the labels other than except.
func (a alert) describe(annotations []string, except string) string {
	for _, name := range annotations {
		if text := line(a.Annotations[strings.TrimSpace(name)]); text != "" {
			return text
		}
	}
	var labels []string
	for name, value := range a.Labels {
		if name != except {
			labels = append(labels, line(name)+"="+line(value))
		}
	}
	slices.Sort(labels)
	return cmp.Or(strings.Join(labels, ", "), line(a.Labels[except]), "alert")
}
