// Package leftout tests that every module can be left out of the configuration.
package leftout
