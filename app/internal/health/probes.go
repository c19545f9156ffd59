package health

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"net"
	"net/http"
	"net/netip"
	"strings"
)

// probe is the response to a probe. Only operators see the checks.
type probe struct {
	Result string            `json:"result"`
	Msg    string            `json:"msg"`
	Status string            `json:"status"`
	Checks map[string]string `json:"checks,omitempty"` // "ok", or why a check fails
}

// live reports whether the process works, whatever its database does: whoever restarts it because of this answer must
// not do so when something else is down.
func (h *Handler) live(w http.ResponseWriter) {
	if h.Alive != nil && !h.Alive() {
		write(w, http.StatusServiceUnavailable, probe{
			Result: "error", Msg: "The server is stuck.", Status: "stuck",
		})
		return
	}
	write(w, http.StatusOK, probe{Result: "success", Status: "ok"})
}

// ready reports whether requests should be sent to this server. Failing minor checks do not matter.
func (h *Handler) ready(w http.ResponseWriter, r *http.Request) {
	a, status := probe{Result: "success", Status: "ok"}, http.StatusOK
	fail := func(name, msg string) {
		a.Result, a.Msg, a.Status, status = "error", msg, name, http.StatusServiceUnavailable
	}
	_, verbose := r.URL.Query()["verbose"]
	verbose = verbose && h.fromOperator(r)
	if does := h.starting.Load(); does != nil {
		fail("starting", (*does)())
	} else {
		a.Checks = h.required(r.Context(), verbose, fail)
	}
	if h.stopping.Load() {
		fail("stopping", "The server is stopping.")
	}
	write(w, status, a)
}

// required runs all checks, and calls fail if one that is not minor fails. It returns the causes if verbose is set.
func (h *Handler) required(ctx context.Context, verbose bool, fail func(name, msg string)) map[string]string {
	causes := map[string]string{}
	for i, err := range h.run(ctx) {
		c := h.checks[i]
		h.logChange(c.Name, err)
		causes[c.Name] = "ok"
		if err == nil {
			continue
		}
		causes[c.Name] = err.Error()
		if !c.Minor {
			fail("failing", "A service that the server needs is failing.")
		}
	}
	if !verbose {
		return nil
	}
	return causes
}

// fromOperator reports whether a request comes from this machine, not through a proxy, or carries the token.
func (h *Handler) fromOperator(r *http.Request) bool {
	scheme, given, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if h.Token != "" && strings.EqualFold(scheme, "Bearer") {
		got, want := sha256.Sum256([]byte(given)), sha256.Sum256([]byte(h.Token))
		return subtle.ConstantTimeCompare(got[:], want[:]) == 1
	}
	for _, name := range []string{"Forwarded", "X-Forwarded-For", "X-Real-Ip", "Via"} {
		if r.Header.Get(name) != "" {
			return false
		}
	}
	return local(r.RemoteAddr) && local(r.Host)
}

// local reports whether an address, with or without a port, is one of this machine alone.
func local(addr string) bool {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		host = strings.Trim(addr, "[]")
	}
	a, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && a.Unmap().IsLoopback()
}
