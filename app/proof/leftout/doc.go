// Package leftout proves that every module can be left out of the config.
package leftout
