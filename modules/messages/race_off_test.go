//go:build !race

package messages_test

const underRace = false
