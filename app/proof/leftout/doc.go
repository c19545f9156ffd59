// Package leftout tests that each module can be left out of the configuration.
package leftout
