// Package registry decides which modules run, in which order, and whether what they contribute fits together. It finds
// all problems before anything starts.
package registry
