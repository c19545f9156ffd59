//go:build race

package readstate_test

const underRace = true
