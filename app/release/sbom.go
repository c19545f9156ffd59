package main

import (
	"bytes"
	"time"

	cdx "github.com/CycloneDX/cyclonedx-go"
	"github.com/google/uuid"
)

// bom returns the bill of materials as CycloneDX JSON.
func (r release) bom(parts []part) ([]byte, error) {
	b := cdx.NewBOM()
	id := "pkg:golang/github.com/stoachat/stoa@v" + r.version
	b.SerialNumber = uuid.NewSHA1(uuid.NameSpaceURL, []byte(id+"#"+r.commit)).URN()
	b.Metadata = &cdx.Metadata{
		Timestamp: r.time.Format(time.RFC3339),
		Component: &cdx.Component{
			BOMRef: id, Type: cdx.ComponentTypeApplication, Name: "stoa", Version: r.version, PackageURL: id,
			Licenses: &cdx.Licenses{{License: &cdx.License{ID: "Apache-2.0"}}},
			ExternalReferences: &[]cdx.ExternalReference{
				{Type: cdx.ERTypeVCS, URL: "https://github.com/stoachat/stoa", Comment: "commit " + r.commit},
			},
		},
	}
	var components []cdx.Component
	needs := []string{}
	for _, p := range parts {
		c := cdx.Component{Type: cdx.ComponentTypeLibrary, Name: p.name, Version: p.version, BOMRef: p.name}
		if p.kind != "" {
			c.PackageURL = "pkg:" + p.kind + "/" + escapedName(p.name) + "@" + p.version
			c.BOMRef = c.PackageURL
		}
		if p.license != "" {
			c.Licenses = &cdx.Licenses{{Expression: p.license}}
		}
		components = append(components, c)
		needs = append(needs, c.BOMRef)
	}
	b.Components = &components
	b.Dependencies = &[]cdx.Dependency{{Ref: id, Dependencies: &needs}}
	var out bytes.Buffer
	err := cdx.NewBOMEncoder(&out, cdx.BOMFileFormatJSON).SetPretty(true).EncodeVersion(b, cdx.SpecVersion1_6)
	return out.Bytes(), err
}

// escapedName returns a name as package URLs contain it: the @ of npm's scopes is encoded.
func escapedName(name string) string {
	if name[0] == '@' {
		return "%40" + name[1:]
	}
	return name
}
