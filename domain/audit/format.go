package audit

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"github.com/stoachat/stoa/domain/plainjson"
)

// Newest is an ID after that of the newest entry, for Query.Before.
const Newest = math.MaxInt64

// Formats returns the names of the formats of NewWriter.
func Formats() []string { return []string{"jsonl", "csv", "mattermost", "ocsf", "cef"} }

// Writer writes entries in a format, one per line.
type Writer struct {
	to   *bufio.Writer
	csv  *csv.Writer
	line func(Entry) ([]byte, error)
}

// NewWriter returns a writer for one of the Formats.
func NewWriter(w io.Writer, format string) (*Writer, error) {
	out := &Writer{to: bufio.NewWriter(w)}
	switch format {
	case "jsonl":
		out.line = func(e Entry) ([]byte, error) { return plainjson.Marshal(e) }
	case "csv":
		out.csv = csv.NewWriter(out.to)
		return out, out.csv.Write(columns)
	case "mattermost":
		out.line = func(e Entry) ([]byte, error) { return plainjson.Marshal(e.mattermost()) }
	case "ocsf":
		out.line = func(e Entry) ([]byte, error) { return plainjson.Marshal(e.ocsf()) }
	case "cef":
		out.line = func(e Entry) ([]byte, error) { return []byte(e.cef()), nil }
	default:
		return nil, fmt.Errorf("unknown format %q; want one of %s", format, strings.Join(Formats(), ", "))
	}
	return out, nil
}

// Write writes an entry.
func (w *Writer) Write(e Entry) error {
	if w.csv != nil {
		return w.csv.Write(e.cells())
	}
	line, err := w.line(e)
	if err != nil {
		return err
	}
	_, err = w.to.Write(append(line, '\n'))
	return err
}

// Flush writes what is buffered.
func (w *Writer) Flush() error {
	if w.csv != nil {
		w.csv.Flush()
		if err := w.csv.Error(); err != nil {
			return err
		}
	}
	return w.to.Flush()
}

var columns = []string{
	"id", "time", "action", "outcome", "actor_kind", "actor_id", "target_kind", "target", "before", "after",
	"ip", "client", "session_id", "api_key", "request", "route", "hash",
}

func (e Entry) cells() []string {
	cells := []string{
		fmt.Sprint(e.ID), e.Time.Format(time.RFC3339Nano), string(e.Action), e.Outcome, e.ActorKind, text(e.Actor),
		string(e.TargetKind), e.Target, present(e.Before), present(e.After),
		e.IP, e.Client, text(e.Session), e.Key, e.Request, e.Route, e.Hash,
	}
	for i, c := range cells {
		if c != "" && strings.ContainsRune("=+-@\t\r", rune(c[0])) { // a spreadsheet would run it as a formula
			cells[i] = "'" + c
		}
	}
	return cells
}

func text[T any](p *T) string {
	if p == nil {
		return ""
	}
	return fmt.Sprint(*p)
}

func present(b json.RawMessage) string {
	if string(b) == "null" {
		return ""
	}
	return string(b)
}

// Who names the actor.
func (e Entry) Who() string {
	if e.Actor != nil {
		return "user:" + text(e.Actor)
	}
	return e.ActorKind
}

// On names the target.
func (e Entry) On() string {
	if e.Target == "" {
		return string(e.TargetKind)
	}
	return string(e.TargetKind) + ":" + e.Target
}

// mattermost returns the entry in the form of Mattermost's audit log.
func (e Entry) mattermost() any {
	status := "success"
	if e.Outcome != "ok" {
		status = "fail"
	}
	return map[string]any{
		"timestamp": e.Time.Format("2006-01-02 15:04:05.000 Z"), "event_name": e.Action, "status": status,
		"actor": map[string]any{
			"user_id": text(e.Actor), "session_id": text(e.Session), "client": e.Client, "ip_address": e.IP,
		},
		"event": map[string]any{
			"parameters": map[string]any{"id": e.Target}, "prior_state": e.Before, "resulting_state": e.After,
			"object_type": e.TargetKind,
		},
		"meta":  map[string]any{"api_path": e.Route, "cluster_id": "", "request": e.Request},
		"error": map[string]any{},
	}
}

// Classes and activities of OCSF 1.3.
const (
	classAccount        = 3001 // Account Change
	classAuthentication = 3002
	classEntity         = 3004 // Entity Management
	categoryIAM         = 3
	activityOther       = 99
)

// ocsf returns the entry as an event of the Open Cybersecurity Schema Framework.
func (e Entry) ocsf() any {
	class, activity := classEntity, activityOther
	kind, verb, _ := strings.Cut(string(e.Action), ".")
	switch kind {
	case "login":
		class, activity = classAuthentication, 1 // Logon
	case "session":
		class, activity = classAuthentication, 2 // Logoff
	case "user", "bot":
		class = classAccount
		activities := map[string]int{
			"created": 1, "reactivated": 2, "password_changed": 3, "deactivated": 5, "deleted": 6,
		}
		if a := activities[verb]; a != 0 {
			activity = a
		}
	default:
		switch verb {
		case "created", "added":
			activity = 1
		case "changed", "permission_changed", "setting_changed":
			activity = 3
		case "deleted", "removed":
			activity = 4
		}
	}
	status := 1
	if e.Outcome != "ok" {
		status = 2
	}
	return map[string]any{
		"category_uid": categoryIAM, "class_uid": class, "activity_id": activity, "type_uid": class*100 + activity,
		"activity_name": e.Action, "time": e.Time.UnixMilli(), "severity_id": 1, "status_id": status,
		"metadata": map[string]any{
			"version": "1.3.0", "uid": fmt.Sprint(e.ID), "product": map[string]any{"name": "Stoa", "vendor_name": "Stoa"},
		},
		"actor": map[string]any{
			"user": map[string]any{"uid": text(e.Actor), "type": e.ActorKind}, "session": map[string]any{"uid": text(e.Session)},
		},
		"src_endpoint": map[string]any{"ip": e.IP},
		"http_request": map[string]any{"user_agent": e.Client, "uid": e.Request},
		"user":         map[string]any{"uid": e.subject()},
		"entity":       map[string]any{"type": e.TargetKind, "uid": e.Target, "data": e.Before},
		"entity_result": map[string]any{
			"type": e.TargetKind, "uid": e.Target, "data": e.After,
		},
	}
}

func (e Entry) subject() string {
	if e.TargetKind == User {
		return e.Target
	}
	return text(e.Actor)
}

// cef returns the entry in ArcSight's Common Event Format.
func (e Entry) cef() string {
	severity := 3
	if e.Outcome != "ok" {
		severity = 6
	}
	var b strings.Builder
	fmt.Fprintf(&b, "CEF:0|Stoa|Stoa|1|%s|%s|%d|", header.Replace(string(e.Action)), header.Replace(string(e.Action)),
		severity)
	for i, field := range [][2]string{
		{"rt", fmt.Sprint(e.Time.UnixMilli())}, {"externalId", fmt.Sprint(e.ID)}, {"outcome", e.Outcome},
		{"src", e.IP}, {"suid", text(e.Actor)}, {"sproc", e.ActorKind}, {"requestClientApplication", e.Client},
		{"request", e.Route}, {"duid", e.Target}, {"cs1Label", "target"}, {"cs1", e.On()}, {"cs2Label", "before"},
		{"cs2", present(e.Before)}, {"cs3Label", "after"}, {"cs3", present(e.After)}, {"cs4Label", "hash"}, {"cs4", e.Hash},
	} {
		if field[1] == "" {
			continue
		}
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(field[0] + "=" + extension.Replace(field[1]))
	}
	return b.String()
}

var (
	header    = strings.NewReplacer(`\`, `\\`, "|", `\|`, "\n", " ", "\r", " ")
	extension = strings.NewReplacer(`\`, `\\`, "=", `\=`, "\n", `\n`, "\r", `\r`)
)
