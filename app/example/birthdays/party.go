package birthdays

import (
	"net/http"
	"strconv"

	"github.com/gofiber/fiber/v2"
	"github.com/gofiber/fiber/v2/middleware/adaptor"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/ports"
)

// realmHeader passes the caller's realm to the Fiber application, since Fiber's adaptor drops the context.
const realmHeader = "X-Party-Realm"

// party serves a Fiber application below /party. Prefer typed endpoints, which are documented and need less code; a
// mount is for what they cannot do. The mount's access rule applies to all its paths, which reach the application as
// requested.
func (s *service) party() http.Handler {
	app := fiber.New(fiber.Config{DisableStartupMessage: true})
	app.Get("/party/:day", func(c *fiber.Ctx) error {
		id, err := strconv.ParseInt(c.Get(realmHeader), 10, 64)
		if err != nil {
			return err
		}
		v, err := s.Directory.View(c.UserContext(), realm.ID(id))
		if err != nil {
			return err
		}
		n := 0
		for _, b := range known(v) {
			if b.Day[len("2006-"):] == c.Params("day") {
				n++
			}
		}
		return c.JSON(fiber.Map{"celebrating": n})
	})
	serve := adaptor.FiberApp(app)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		caller, _ := ports.Caller(r.Context())
		r.Header.Set(realmHeader, strconv.FormatInt(int64(caller.Realm), 10)) // overrides any value sent by the client
		serve(w, r)
	})
}
