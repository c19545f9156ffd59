// Package main is the guest of the tests: it does what it is asked for, good or bad.
package main

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/stoachat/stoa/modules/wasm/sdk"
)

// version is set when the guest is built.
var version = "1"

// calls counts the calls of this machine.
var calls int

func init() {
	sdk.OnRoute("GET /hello", func(r sdk.Request) (any, error) {
		calls++
		return map[string]any{"version": version, "calls": calls, "user": r.User, "params": r.Params, "result": "faked",
			"second": time.Now().Nanosecond() == 0, "env": len(os.Environ())}, nil
	})
	sdk.OnRoute("POST /do/*", do)
	sdk.OnMessage(func(m sdk.Message) error {
		if m.Content == "trap" {
			panic("trapped by a message")
		}
		if err := sdk.React(m.ID, "octopus"); err != nil {
			return err
		}
		return sdk.Shared().Set("last", fmt.Sprintf("%s in %s>%s: %s", m.Sender.Name, m.Channel, m.Topic, m.Content))
	})
	sdk.OnJob(func() error { return sdk.Shared().Set("job", fmt.Sprint(time.Now().Unix())) })
}

func do(r sdk.Request) (any, error) {
	switch key := r.Params["key"]; strings.TrimPrefix(r.Path, "/do/") {
	case "set":
		return nil, sdk.Shared().Set(key, r.Params["value"])
	case "get":
		text, ok, err := sdk.Shared().Get(key)
		keys, err2 := sdk.Shared().Keys("", "")
		return map[string]any{"value": text, "ok": ok, "keys": keys}, errors.Join(err, err2)
	case "own":
		return nil, sdk.Of(r.User.ID).Set("mine", r.User.Name)
	case "fill":
		for i := range 20 {
			if err := sdk.Shared().Set(fmt.Sprint(i), strings.Repeat("x", 60<<10)); err != nil {
				return nil, err
			}
		}
		return nil, nil
	case "users":
		us, err := sdk.Users(0)
		return map[string]any{"users": us}, err
	case "send":
		id, err := sdk.Send(1, "guest", r.Params["content"])
		return map[string]any{"id": id}, err
	case "fetch":
		res, err := sdk.Get(r.Params["url"])
		return map[string]any{"response": res}, err
	case "loop":
		for {
			calls++
		}
	case "recurse":
		return recurse(60), nil
	case "bulk":
		b := make([]byte, 16<<20)
		for {
			clear(b)
		}
	case "memory":
		var all [][]byte
		for {
			all = append(all, make([]byte, 1<<20))
			all[len(all)-1][0] = 1
		}
	case "giant":
		return map[string]any{"x": strings.Repeat("x", 2<<20)}, nil
	case "talk":
		for {
			sdk.Log("again")
		}
	case "trap":
		panic("trapped by a route")
	case "exit":
		os.Exit(0)
	case "sleep":
		time.Sleep(time.Hour)
		return nil, nil
	case "file":
		_, err := os.ReadFile("/etc/passwd")
		return nil, err
	}
	return nil, errors.New("cannot do this")
}

// recurse calls itself without looping.
func recurse(n int) int {
	if n == 0 {
		return 1
	}
	return recurse(n-1) + recurse(n-1)
}

func main() {}
