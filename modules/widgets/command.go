package widgets

import (
	"context"
	"strings"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/modules/kit"
)

type commandReq struct {
	Command string `json:"command"`
}

// commandRes is the response. Clients show its msg to the caller.
type commandRes struct{ msg string }

// Msg returns the msg of the response.
func (r commandRes) Msg() string { return r.msg }

// commands lists the commands that change a setting of the caller.
var commands = map[string]struct {
	setting string
	value   any
	msg     string
}{
	"dark":        {"color_scheme", 2, "Dark theme is on. Use /light to turn it off."},
	"night":       {"color_scheme", 2, "Dark theme is on. Use /light to turn it off."},
	"light":       {"color_scheme", 3, "Light theme is on. Use /dark to turn it off."},
	"day":         {"color_scheme", 3, "Light theme is on. Use /dark to turn it off."},
	"fluid-width": {"fluid_layout_width", true, "Messages use the full width. Use /fixed-width to change that."},
	"fixed-width": {"fluid_layout_width", false, "Messages use a fixed width. Use /fluid-width to change that."},
}

// command handles POST /zcommand. Errors: BadRequest.
func (s *service) command(ctx context.Context, a kit.Actor, in commandReq) (commandRes, error) {
	name, slash := strings.CutPrefix(in.Command, "/")
	if !slash {
		return commandRes{}, errs.Bad("There should be a leading slash in the zcommand.")
	}
	if name == "ping" {
		return commandRes{}, nil
	}
	c, ok := commands[name]
	if !ok {
		return commandRes{}, errs.Bad("No such command: %.60s", name)
	}
	return commandRes{c.msg}, s.Settings.Set(ctx, a, a.User, c.setting, c.value)
}
