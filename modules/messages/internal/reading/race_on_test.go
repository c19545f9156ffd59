//go:build race

package reading

const underRace = true
