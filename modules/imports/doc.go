// Package imports reads the archives that other chat programs export. So far it examines them: stoa import examine
// reads a whole archive, and reports what an import of it would contain, what would be lost and why. It writes nothing.
//
// The source of a program (internal/mattermost, internal/slack, internal/zulip) describes its archive as records of
// domain/importing, whose package comment explains how to write one; it is added to the list in examine.go.
// internal/archive opens archives without trusting them.
//
// Tables: none.
package imports
