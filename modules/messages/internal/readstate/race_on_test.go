//go:build race

package readstate

const underRace = true
