package kittest

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/user"
)

// Events checks that the log has exactly these entries since the last call, in order. See the package documentation.
func (s *Server) Events(want ...string) {
	s.T.Helper()
	s.events(s.Log(), want)
}

// EventsOf is like Events, but ignores entries of other types.
func (s *Server) EventsOf(kind string, want ...string) {
	s.T.Helper()
	s.events(slices.DeleteFunc(s.Log(), func(e event.Entry) bool { return e.Type != kind }), want)
}

func (s *Server) events(got []event.Entry, want []string) {
	s.T.Helper()
	for i, w := range want {
		if i >= len(got) {
			s.T.Fatalf("event %d is missing: %s\ngot %s", i+1, w, s.listed(got))
		}
		if d := s.difference(w, got[i]); d != "" {
			s.T.Fatalf("event %d: %s\n got %s\nwant %s", i+1, d, s.line(got[i]), w)
		}
	}
	if len(got) > len(want) {
		s.T.Fatalf("%d events more than expected: %s", len(got)-len(want), s.listed(got[len(want):]))
	}
}

// NoEvents checks that nothing was logged since the last call.
func (s *Server) NoEvents() {
	s.T.Helper()
	s.Events()
}

// Skip excludes earlier entries from the next Events.
func (s *Server) Skip() {
	s.T.Helper()
	s.Log()
}

// Log returns the entries since the last call of Log, Events, NoEvents or Skip.
func (s *Server) Log() []event.Entry {
	s.T.Helper()
	var all []event.Entry
	for {
		entries, head, err := s.Ports.Reader.After(context.WithoutCancel(s.T.Context()), s.Realm, s.seen, 1000)
		s.must("read the log", err)
		all = append(all, entries...)
		if head <= s.seen {
			return all
		}
		s.seen = head
	}
}

func (s *Server) difference(want string, got event.Entry) string {
	kind, rest, _ := strings.Cut(strings.TrimSpace(want), " ")
	to, payload, _ := strings.Cut(strings.TrimSpace(rest), " ")
	switch {
	case kind != kindOf(got):
		return fmt.Sprintf("is %s, want %s", kindOf(got), kind)
	case to != s.audience(got.To):
		return fmt.Sprintf("goes to %s, want %s", s.audience(got.To), to)
	case strings.TrimSpace(payload) == "":
		return ""
	}
	w, err := decode(payload)
	if err != nil {
		return "the expected payload is not JSON: " + err.Error()
	}
	g, err := decode(string(got.Payload))
	if err != nil {
		return "the payload is not JSON: " + err.Error()
	}
	return differ("payload", w, g)
}

func kindOf(e event.Entry) string { return strings.TrimSuffix(e.Type+"/"+e.Op, "/") }

func (s *Server) line(e event.Entry) string {
	return fmt.Sprintf("%s %s %s", kindOf(e), s.audience(e.To), e.Payload)
}

func (s *Server) listed(all []event.Entry) string {
	if len(all) == 0 {
		return "none"
	}
	var b strings.Builder
	for _, e := range all {
		b.WriteString("\n\t" + s.line(e))
	}
	return b.String()
}

func (s *Server) audience(a event.Audience) string {
	var to string
	switch a.Kind {
	case event.ToUser:
		to = "user:" + s.nameOf(user.ID(a.ID))
	case event.ToUsers:
		names := make([]string, len(a.Users))
		for i, u := range a.Users {
			names[i] = s.nameOf(u)
		}
		to = "users:" + strings.Join(names, ",")
	case event.ToRealm:
		to = "everyone"
	case event.ToNonGuests:
		to = "nonguests"
	case event.ToAdmins:
		to = "admins"
		for _, u := range a.Users {
			to += "+" + s.nameOf(u)
		}
	case event.ToSubscribers:
		to = "subscribers:" + s.roomOf(channel.ID(a.ID))
	case event.ToSeeingChannel:
		to = "knowing:" + s.roomOf(channel.ID(a.ID))
	case event.ToSeeing:
		to = "seeing:" + s.nameOf(user.ID(a.ID))
	case event.ToNobody:
		to = "nobody"
	default:
		to = fmt.Sprintf("kind%d:%d", a.Kind, a.ID)
	}
	for _, u := range a.Except {
		to += "-" + s.nameOf(u)
	}
	return to
}

func (s *Server) nameOf(id user.ID) string {
	for _, p := range s.people {
		if p.id == id {
			return p.name
		}
	}
	return fmt.Sprint(int64(id))
}

func (s *Server) roomOf(id channel.ID) string {
	for _, r := range s.rooms {
		if r.id == id {
			return r.name
		}
	}
	return fmt.Sprint(int64(id))
}
