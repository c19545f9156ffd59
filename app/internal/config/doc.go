// Package config reads the server's configuration from a file, STOA_* variables and flags; later sources override
// earlier ones. Each section is decoded strictly over its owner's defaults. All problems are collected and reported
// together, each with path, cause and remedy.
package config
