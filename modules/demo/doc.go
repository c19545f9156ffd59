// Package demo is for development: it logs users in without a password, also in a browser, and fills an organization
// with users, channels and messages. A publicly reachable server does not start with it.
//
// Tables: none. Ports: it provides Demo, which stoa init --demo uses.
package demo
