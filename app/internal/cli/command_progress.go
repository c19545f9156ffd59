package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/term"

	"github.com/stoachat/stoa/app/internal/server"
	"github.com/stoachat/stoa/modules/kit"
)

// respond runs a command like act. Meanwhile, it shows the progress of a command that reports it.
func (d *declared) respond(e *env, call server.Call, w io.Writer) error {
	if !d.Reports || d.Quiet {
		return d.act(e, call, w)
	}
	call.Progress = true
	shown := &shownProgress{to: e.Err}
	if f, ok := e.Err.(*os.File); ok {
		shown.terminal = term.IsTerminal(int(f.Fd()))
	}
	lines := &progressLines{to: w, show: shown.show}
	err := d.act(e, call, lines)
	shown.end()
	return err
}

// progressLines passes on a response without the lines about progress.
type progressLines struct {
	to   io.Writer
	show func(kit.Progress)
	part []byte // of a line
}

// Write implements io.Writer.
func (l *progressLines) Write(p []byte) (int, error) {
	l.part = append(l.part, p...)
	for {
		i := bytes.IndexByte(l.part, '\n')
		if i < 0 {
			return len(p), nil
		}
		line := l.part[:i+1]
		var at server.ProgressLine
		if bytes.HasPrefix(line, []byte(`{"progress":`)) && json.Unmarshal(line, &at) == nil && at.Progress != nil {
			l.show(*at.Progress)
		} else if _, err := l.to.Write(line); err != nil {
			return 0, err
		}
		l.part = l.part[i+1:]
	}
}

// showEvery is the time between two lines of progress where lines cannot be rewritten.
const showEvery = 10 * time.Second

// shownProgress shows progress: on a terminal in one line, which it rewrites, and otherwise in a line when a phase
// begins, and again from time to time.
type shownProgress struct {
	to       io.Writer
	terminal bool
	last     kit.Progress
}

func (s *shownProgress) show(p kit.Progress) {
	switch {
	case s.terminal:
		_, _ = fmt.Fprintf(s.to, "\r\x1b[K%s", progressText(p)) // only for people who look
	case p.Phase == s.last.Phase && p.Elapsed-s.last.Elapsed < showEvery:
		return
	default:
		_, _ = fmt.Fprintln(s.to, progressText(p))
	}
	s.last = p
}

// end removes the line of a terminal.
func (s *shownProgress) end() {
	if s.terminal && s.last.Phase != "" {
		_, _ = fmt.Fprint(s.to, "\r\x1b[K")
	}
}

// progressText describes progress, such as "messages: 3000 of 9000, 1.2 MiB, 1500/s, 4s left".
func progressText(p kit.Progress) string {
	var parts []string
	switch {
	case p.Total > 0:
		parts = append(parts, fmt.Sprintf("%d of %d", p.Done, p.Total))
	case p.Done > 0:
		parts = append(parts, fmt.Sprint(p.Done))
	}
	if p.Bytes > 0 {
		parts = append(parts, bytesText(p.Bytes))
	}
	if rate := float64(p.Done) / p.Elapsed.Seconds(); p.Done > 0 && p.Elapsed >= time.Second {
		parts = append(parts, fmt.Sprintf("%.0f/s", rate))
		if left := p.Total - p.Done; left > 0 {
			parts = append(parts, fmt.Sprintf("%v left", (time.Duration(float64(left)/rate)*time.Second).Round(time.Second)))
		}
	}
	if len(parts) == 0 {
		return p.Phase
	}
	return p.Phase + ": " + strings.Join(parts, ", ")
}
