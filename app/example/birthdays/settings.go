package birthdays

import (
	"context"

	"github.com/stoachat/stoa/domain/declared"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/group"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/user"
)

// The settings of the module. The server stores them, and the client shows them with the organization's, the user's and
// the channel's own.
var (
	setters = declared.ForRealm("can_set_birthday_group",
		declared.Group(group.Rule{Default: group.Everyone, Nobody: true, Everyone: true}),
		"Who can enter a birthday", "Birthdays that were entered before remain.")

	shown = declared.ForUser("show_birthday", declared.Bool(true),
		"Show my birthday", "If it is hidden, only you see it.")

	favourite = declared.ForUser("favourite_cake", declared.Text("", 60),
		"Favourite cake", "Others see it in your profile.").Public()

	celebrates = declared.ForChannel("celebrates_birthdays", declared.Bool(false),
		"Celebrate birthdays", "The server posts a message on the birthday of a subscriber.").Public()
)

// visible returns the birthdays that a user sees.
func visible(v *directory.View, reader user.ID) []birthday {
	all := []birthday{}
	for _, b := range known(v) {
		if b.UserID == reader || shown.Of(v, b.UserID) {
			all = append(all, b)
		}
	}
	return all
}

// celebrate posts a message to each channel that celebrates the birthdays of its subscribers.
func (s *service) celebrate(ctx context.Context, v *directory.View, today user.Set) error {
	bot, ok := v.SystemActor(user.NotificationBot)
	if s.Sender == nil || !ok {
		return nil
	}
	for c := range v.Channels() {
		if c.Archived || !celebrates.Of(v, c.ID) {
			continue
		}
		for _, u := range v.Subscribers(c.ID).And(today) {
			_, err := s.Sender.Send(ctx, bot, message.Outgoing{
				Channel: c.ID, Topic: "birthdays", Content: "Happy birthday, " + v.User(u).FullName + "!",
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}
