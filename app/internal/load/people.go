package load

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
)

// parallel is how many requests of the preparation run at a time.
const parallel = 8

// prepare creates channels and people, except those of an earlier run, and subscribes all to all.
func (r *run) prepare(ctx context.Context) error {
	calls, polls := newClient(callTimeout, 512), newClient(pollTimeout, r.Users)
	owner := &person{Email: r.Email, Key: r.Key, site: r.Site, calls: calls}
	if err := r.readPeople(); err != nil {
		return err
	}
	missing := r.Users - len(r.people)
	if missing > 0 {
		r.Progress(fmt.Sprintf("people to create: %d", missing))
		created, err := createPeople(ctx, owner, missing)
		r.people = append(r.people, created...)
		if err := errors.Join(err, r.writePeople()); err != nil {
			return hint(err)
		}
	}
	r.people = r.people[:r.Users]
	for _, p := range r.people {
		p.site, p.calls, p.polls = r.Site, calls, polls
	}
	return hint(r.subscribe(ctx, owner))
}

// hint adds what to do about refusals that a default configuration causes.
func hint(err error) error {
	var refused *refusedError
	if errors.As(err, &refused) && refused.status == 429 {
		return fmt.Errorf("%w; the server limits requests, so set http.rate_limits.enabled to false for the test", err)
	}
	return err
}

func (r *run) readPeople() error {
	if r.People == "" {
		return nil
	}
	text, err := os.ReadFile(r.People)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, &r.people); err != nil {
		return fmt.Errorf("%s is no file with people: %w", r.People, err)
	}
	return nil
}

func (r *run) writePeople() error {
	if r.People == "" {
		return nil
	}
	text, err := json.Marshal(r.people) //nolint:gosec // a file that only the user can read
	if err != nil {
		return err
	}
	return os.WriteFile(r.People, text, 0o600)
}

// createPeople creates people with random addresses, passwords that nobody knows, and API keys.
func createPeople(ctx context.Context, owner *person, n int) ([]*person, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	all := make([]*person, n)
	var next atomic.Int64
	var workers sync.WaitGroup
	for range parallel {
		workers.Go(func() {
			for i := next.Add(1) - 1; i < int64(n) && ctx.Err() == nil; i = next.Add(1) - 1 {
				p, err := createPerson(ctx, owner)
				if err != nil {
					cancel(fmt.Errorf("create a person: %w", err))
					return
				}
				all[i] = p
			}
		})
	}
	workers.Wait()
	return slices.DeleteFunc(all, func(p *person) bool { return p == nil }), context.Cause(ctx)
}

func createPerson(ctx context.Context, owner *person) (*person, error) {
	name, password := "load-"+rand.Text()[:12], rand.Text()
	p := &person{Email: name + "@example.com", site: owner.site, calls: owner.calls}
	var created struct {
		ID int64 `json:"user_id"`
	}
	err := owner.call(ctx, owner.calls, "POST /users", &created,
		"email", p.Email, "full_name", "Load "+name[5:], "password", password)
	if err != nil {
		return nil, err
	}
	var fetched struct {
		Key string `json:"api_key"`
	}
	err = p.call(ctx, p.calls, "POST /fetch_api_key", &fetched, "username", p.Email, "password", password)
	p.ID, p.Key = created.ID, fetched.Key
	return p, err
}

// subscribe creates the channels and subscribes everybody.
func (r *run) subscribe(ctx context.Context, owner *person) error {
	r.Progress(fmt.Sprintf("channels to which all are subscribed: %d", r.Channels))
	const most = 500 // people in a request
	for i := range r.Channels {
		name := fmt.Sprintf("load %d", i+1)
		for people := range slices.Chunk(r.people, most) {
			ids := make([]int64, len(people))
			for i, p := range people {
				ids[i] = p.ID
			}
			channel, _ := json.Marshal([]map[string]string{{"name": name}})
			principals, _ := json.Marshal(ids)
			err := owner.do(ctx, "POST /users/me/subscriptions",
				"subscriptions", string(channel), "principals", string(principals))
			if err != nil {
				return fmt.Errorf("subscribe people to %q: %w", name, err)
			}
		}
		var found struct {
			ID int64 `json:"stream_id"`
		}
		if err := owner.call(ctx, owner.calls, "GET /get_stream_id", &found, "stream", name); err != nil {
			return fmt.Errorf("find %q: %w", name, err)
		}
		r.channels = append(r.channels, found.ID)
	}
	return nil
}

func text(n int64) string { return strconv.FormatInt(n, 10) }
