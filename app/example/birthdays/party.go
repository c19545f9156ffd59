package birthdays

import (
	"net/http"
	"strconv"

	"github.com/gofiber/fiber/v2"
	"github.com/gofiber/fiber/v2/middleware/adaptor"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/ports"
)

// realmHeader takes the caller's realm into the Fiber application: Fiber's adaptor does not pass the context on.
const realmHeader = "X-Party-Realm"

// party serves a Fiber application below /party. Rows are documented and need less code; a mount is for what rows
// cannot do. The access rule of the mount holds for all paths, which reach the application as they were requested.
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
		r.Header.Set(realmHeader, strconv.FormatInt(int64(caller.Realm), 10)) // also if the client sent one
		serve(w, r)
	})
}
