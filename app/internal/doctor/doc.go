// Package doctor runs the checks of stoa doctor: those that modules declare (kit.Diagnosis), and those of the server
// itself, which package server adds. It finds damage that health checks cannot see because it does not stop the server:
// rows without an owner, sums that are wrong, files without a row. It changes nothing unless it is asked to repair.
package doctor
