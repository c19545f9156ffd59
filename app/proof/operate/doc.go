// Package operate tests what operators of a server get: metrics, health, logs and profiles.
package operate
