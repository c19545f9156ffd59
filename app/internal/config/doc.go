// Package config reads the server's configuration from a file, STOA_* variables and flags. Later sources override
// earlier ones. Each section is decoded strictly over the defaults of its module. All problems are collected and
// reported together, each with path, cause and remedy.
package config
