// Package registry determines which modules run and in which order, and checks that their contributions fit together.
// It reports all problems before anything starts.
package registry
