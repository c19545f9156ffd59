// Package main is an example of a module that needs no build of the server: it is compiled to WebAssembly, and
// installed with
//
//	GOOS=wasip1 GOARCH=wasm go build -buildmode=c-shared -o module.wasm . && zip kudos.stoamod manifest.json module.wasm
//	stoa module install kudos.stoamod
//
// Whoever writes "kudos @**Ada**" in a channel to which its bot is subscribed, or to the bot, gives Ada a point.
package main

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"

	"github.com/stoachat/stoa/modules/wasm/sdk"
)

func init() {
	sdk.OnMessage(count)
	sdk.OnRoute("GET /top", top)
}

var thanks = regexp.MustCompile(`(?i)\bkudos (?:to )?@(?:_)?\*\*([^*|]+)(?:\|[0-9]+)?\*\*`)

// points is the key of a user's points.
const points = "points"

// count gives points to those whom a message thanks.
func count(m sdk.Message) error {
	found := thanks.FindAllStringSubmatch(m.Content, 10)
	if len(found) == 0 {
		return nil
	}
	us, err := users()
	if err != nil {
		return err
	}
	for _, f := range found {
		i := slices.IndexFunc(us, func(u sdk.User) bool { return u.Name == f[1] && !u.Bot && u.ID != m.Sender.ID })
		if i < 0 {
			continue
		}
		n, err := pointsOf(us[i])
		if err == nil {
			err = sdk.Of(us[i].ID).Set(points, strconv.Itoa(n+1))
		}
		if err == nil {
			err = sdk.React(m.ID, "tada")
		}
		if err != nil {
			sdk.Log(err.Error()) // a second reaction to the same message is refused
		}
		if (n+1)%10 == 0 && m.ChannelID != 0 {
			if _, err := sdk.Send(m.ChannelID, m.Topic, fmt.Sprintf("@_**%s** has %d points!", us[i].Name, n+1)); err != nil {
				return err
			}
		}
	}
	return nil
}

func pointsOf(u sdk.User) (int, error) {
	text, _, err := sdk.Of(u.ID).Get(points)
	n, _ := strconv.Atoi(text) // 0 if there are none
	return n, err
}

// users returns all users.
func users() ([]sdk.User, error) {
	var all []sdk.User
	for after := int64(0); ; {
		us, err := sdk.Users(after)
		if err != nil || len(us) == 0 {
			return all, err
		}
		all, after = append(all, us...), us[len(us)-1].ID
	}
}

type score struct {
	User   string `json:"user"`
	Points int    `json:"points"`
}

// top returns the ten users with most points.
func top(sdk.Request) (any, error) {
	us, err := users()
	if err != nil {
		return nil, err
	}
	names := map[int64]string{}
	for _, u := range us {
		names[u.ID] = u.Name
	}
	scores := []score{}
	for after := int64(0); ; {
		owned, err := sdk.Owners(points, after)
		if err != nil {
			return nil, err
		}
		if len(owned) == 0 {
			break
		}
		for _, o := range owned {
			n, _ := strconv.Atoi(o.Value) // written by count
			scores, after = append(scores, score{names[o.User], n}), o.User
		}
	}
	slices.SortFunc(scores, func(a, b score) int {
		return cmp.Or(cmp.Compare(b.Points, a.Points), cmp.Compare(a.User, b.User))
	})
	return map[string]any{"top": scores[:min(len(scores), 10)]}, nil
}

func main() {} // never runs
