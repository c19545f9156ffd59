package main

import (
	"compress/gzip"
	"regexp"
	"strings"
)

var chartVersion = regexp.MustCompile(`(?m)^(version|appVersion): .*$`)

// chart writes the Helm chart, as helm package does.
func (r release) chart() error {
	files, err := r.chartContent()
	if err != nil {
		return err
	}
	data, err := tarOf(files, r.time)
	if err != nil {
		return err
	}
	data, err = gzipped(data, gzip.DefaultCompression)
	if err != nil {
		return err
	}
	return r.write("stoa-"+r.version+".tgz", data)
}

// chartContent returns the files of the chart with the version of the release, and the alerts.
func (r release) chartContent() ([]file, error) {
	const source = "configs/helm/stoa/"
	var out []file
	for _, pattern := range []string{source + "*.yaml", source + "*.json", source + ".helmignore", source + "templates/*",
		"configs/prometheus/alerts.yaml", "LICENSE"} {
		found, err := r.read(pattern)
		if err != nil {
			return nil, err
		}
		for _, f := range found {
			f.path = "stoa/" + strings.TrimPrefix(strings.TrimPrefix(f.path, source), "configs/prometheus/")
			if f.path == "stoa/Chart.yaml" {
				f.data = chartVersion.ReplaceAll(f.data, []byte("${1}: "+r.version))
			}
			out = append(out, f)
		}
	}
	return out, nil
}
