module github.com/stoachat/stoa/app/release

go 1.26.4

require (
	github.com/CycloneDX/cyclonedx-go v0.12.0
	github.com/google/uuid v1.6.0
)
