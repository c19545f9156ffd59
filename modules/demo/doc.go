// Package demo is for development: it logs people in without a password, also in a browser, and fills an organization
// with people, channels and messages to try things with. A server that others can reach does not start with it.
//
// Ports: it provides Demo, which stoa init --demo uses. It has no table.
package demo
