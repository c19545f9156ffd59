// Package config reads the server's configuration: a file, over it STOA_* variables, over them flags. Every section is
// decoded strictly over the defaults of whoever owns it, and all problems are collected, so that they can be printed at
// once, each with its path, its cause and what to do about it.
package config
