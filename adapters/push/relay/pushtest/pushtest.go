// Package pushtest contains the contract test for ports.PushService, and a fake.
package pushtest

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/push"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

// IDs of tokens that the service of a test treats specially.
const (
	Dead  = "dead"  // does not reach a device any more
	Later = "later" // can't be reached for now
)

// Service is the push service of a test.
type Service interface {
	// Take returns what the service has accepted since the last call, in order.
	Take() ([]push.ServiceRegistration, []push.ServiceNotification)
	// Refuse makes the service refuse all calls with a code of ports.PushService, or with "" do what a service does
	// that is out of order. nil ends this.
	Refuse(code *errs.Code)
}

// Contract tests a ports.PushService that sends to s.
func Contract(t *testing.T, p ports.PushService, s Service) {
	t.Helper()
	if !p.Configured() {
		t.Fatal("it is not configured")
	}
	device := push.ServiceRegistration{RealmUUID: "r", TokenID: "one", BouncerKey: "a2V5", Sealed: "c2VhbGVk"}
	all := []push.ServiceNotification{
		{TokenID: "one", Kind: push.FCM, KeyID: 77, Data: "ZGF0YQ=="},
		{TokenID: "two", Kind: push.APNs, KeyID: 1<<32 - 1, Data: "ZGF0YQ==", Quiet: true},
		{TokenID: Dead, Kind: push.FCM, KeyID: 1, Data: "eA=="}, {TokenID: Later, Kind: push.APNs, KeyID: 1, Data: "eA=="},
	}
	if err := p.Register(t.Context(), device); err != nil {
		t.Fatal(err)
	}
	report, err := p.Notify(t.Context(), "r", all)
	if err != nil || report.FCM != 1 || report.APNs != 1 || !report.Dead[Dead] || len(report.Dead) != 1 ||
		!report.Later[Later] || len(report.Later) != 1 {
		t.Errorf("%+v, %v", report, err)
	}
	devices, got := s.Take()
	if !slices.Equal(devices, []push.ServiceRegistration{device}) || !slices.Equal(got, all[:2]) {
		t.Errorf("the service has %+v and %+v", devices, got)
	}
	var out errs.Code
	permanent := []errs.Code{errs.InvalidBouncerKey, errs.BadRequest, errs.RequestExpired}
	for _, code := range append(permanent, errs.PushDisallowed, errs.AdminAction, out) {
		s.Refuse(&code)
		registered := p.Register(t.Context(), device)
		_, notified := p.Notify(t.Context(), "r", all)
		for call, err := range map[string]error{"register": registered, "notify": notified} {
			var e *errs.Error
			switch known := errors.As(err, &e); {
			case err == nil, code != out && (!known || e.Code != code):
				t.Errorf("%s, refused with %q: %v", call, code, err)
			case code == out && known && slices.Contains(append(permanent, errs.PushDisallowed, errs.AdminAction), e.Code):
				t.Errorf("%s, out of order, is refused for ever: %v", call, err)
			}
		}
	}
	s.Refuse(nil)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := p.Notify(ended, "r", all); err == nil {
		t.Error("a notification is sent without time")
	}
	if devices, got := s.Take(); len(devices)+len(got) != 0 {
		t.Errorf("despite the errors, the service has %+v and %+v", devices, got)
	}
	if _, err := p.Notify(t.Context(), "r", all[:1]); err != nil {
		t.Errorf("after the errors: %v", err)
	}
	s.Take()
}

// Fake is a push service in memory. It is not configured while Off is set.
type Fake struct {
	Off     bool
	mu      sync.Mutex
	devices []push.ServiceRegistration
	got     []push.ServiceNotification
	refuses *errs.Code
}

// Module returns a module that provides the Fake to a test's server.
func (f *Fake) Module() kit.Module {
	return kit.Adapter("push", "fake", "Keeps notifications for a test.", kit.None{},
		func(kit.None, struct{ fx.In }) (ports.PushService, error) { return f, nil })
}

// Take implements Service.
func (f *Fake) Take() ([]push.ServiceRegistration, []push.ServiceNotification) {
	f.mu.Lock()
	defer f.mu.Unlock()
	devices, got := f.devices, f.got
	f.devices, f.got = nil, nil
	return devices, got
}

// Refuse implements Service.
func (f *Fake) Refuse(code *errs.Code) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.refuses = code
}

// Set makes the Fake count as configured, or not.
func (f *Fake) Set(on bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.Off = !on
}

// Configured implements ports.PushService.
func (f *Fake) Configured() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return !f.Off
}

// refusal returns the error of a call. The caller holds the lock.
func (f *Fake) refusal(ctx context.Context) error {
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case f.refuses == nil:
		return nil
	case *f.refuses == "":
		return errs.New(errs.BouncerFailed, "The push service failed.")
	}
	return errs.New(*f.refuses, "The push service refused the request.")
}

// Register implements ports.PushService.
func (f *Fake) Register(ctx context.Context, r push.ServiceRegistration) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.refusal(ctx); err != nil {
		return err
	}
	f.devices = append(f.devices, r)
	return nil
}

// Notify implements ports.PushService.
func (f *Fake) Notify(
	ctx context.Context, _ string, all []push.ServiceNotification,
) (push.ServiceReport, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	report := push.ServiceReport{Dead: map[string]bool{}, Later: map[string]bool{}}
	if err := f.refusal(ctx); err != nil {
		return report, err
	}
	for _, n := range all {
		switch {
		case n.TokenID == Dead:
			report.Dead[n.TokenID] = true
			continue
		case n.TokenID == Later:
			report.Later[n.TokenID] = true
			continue
		case n.Kind == push.FCM:
			report.FCM++
		case n.Kind == push.APNs:
			report.APNs++
		default:
			report.Web++
		}
		f.got = append(f.got, n)
	}
	return report, nil
}
