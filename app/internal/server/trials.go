package server

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/stoachat/stoa/app/internal/config"
)

// trialTime is how long a trial may take.
const trialTime = 10 * time.Second

// Try tries all services that the configuration names, at the same time. It returns their number, and those that fail;
// see kit.Trial.
func (s *Server) Try(ctx context.Context) (int, config.Problems) {
	all := map[string]func(context.Context) error{}
	for _, m := range s.Modules().Modules {
		for _, t := range m.Parts.Trials {
			all[config.Join("modules", m.Module, t.Key)] = t.Run
		}
	}
	local := map[string]bool{} // adapters of this machine, whose checks write
	for _, m := range s.Config.Plan {
		local["adapters."+m.Slot] = m.Name == "disk"
	}
	for _, check := range s.health.Checks() {
		if strings.HasPrefix(check.Name, "adapters.") && !local[check.Name] {
			all[check.Name] = check.Run
		}
	}
	var failed config.Problems
	var mu sync.Mutex
	var running sync.WaitGroup
	for path, run := range all {
		running.Go(func() {
			err := try(ctx, run)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				failed.Add(path, err.Error())
			}
		})
	}
	running.Wait()
	return len(all), failed
}

// try runs a trial in its time, even if it does not heed its context.
func try(ctx context.Context, run func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, trialTime)
	defer cancel()
	done := make(chan error, 1)
	go func() { done <- run(ctx) }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return fmt.Errorf("does not answer within %v; check the address, and that this machine can reach it", trialTime)
	}
}
