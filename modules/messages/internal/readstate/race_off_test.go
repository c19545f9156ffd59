//go:build !race

package readstate

const underRace = false
