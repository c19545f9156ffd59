// Package profile records profiles and traces of the running program, which operators ask for by stoa profile.
package profile

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"runtime/pprof"
	"runtime/trace"
	"time"
)

// Kinds are the kinds of profiles: those that take some time, and those of the moment.
var Kinds = []string{"cpu", "trace", "heap", "goroutine"}

// MaxSeconds is the longest time of a profile.
const MaxSeconds = 600

// Request asks for a profile.
type Request struct {
	Seconds int `json:"seconds"` // how long a profile of the processor, or a trace, takes
}

// Serve answers POST /profile/{kind}.
func Serve(w http.ResponseWriter, r *http.Request) {
	var in Request
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		refuse(w, "The call can't be read: "+err.Error())
		return
	}
	if in.Seconds < 1 || in.Seconds > MaxSeconds {
		refuse(w, fmt.Sprintf("--seconds: want 1 to %d", MaxSeconds))
		return
	}
	var b bytes.Buffer // so that a failure is not a part of the profile
	if err := write(r.Context(), &b, r.PathValue("kind"), time.Duration(in.Seconds)*time.Second); err != nil {
		refuse(w, err.Error())
		return
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	_, _ = w.Write(b.Bytes()) // the command may be gone
}

func refuse(w http.ResponseWriter, text string) {
	w.WriteHeader(http.StatusUnprocessableEntity)
	_ = json.NewEncoder(w).Encode(map[string]string{"error": text, "code": "BAD_REQUEST"}) // the command may be gone
}

// write writes a profile. Errors: a sentence if another one is being recorded, or if the kind is unknown.
func write(ctx context.Context, w io.Writer, kind string, d time.Duration) error {
	switch kind {
	case "cpu":
		if err := pprof.StartCPUProfile(w); err != nil {
			return fmt.Errorf("another profile of the processor is being recorded; try again when it has ended")
		}
		wait(ctx, d)
		pprof.StopCPUProfile()
	case "trace":
		if err := trace.Start(w); err != nil {
			return fmt.Errorf("another trace is being recorded; try again when it has ended")
		}
		wait(ctx, d)
		trace.Stop()
	case "heap":
		runtime.GC() // a profile shows the memory that was in use after the last collection
		return pprof.Lookup("heap").WriteTo(w, 0)
	case "goroutine":
		return pprof.Lookup("goroutine").WriteTo(w, 0)
	default:
		return fmt.Errorf("unknown kind %q; known: cpu, trace, heap, goroutine", kind)
	}
	return nil
}

// wait waits until d has passed, or until the command was interrupted.
func wait(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}
