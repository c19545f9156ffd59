package demo

import (
	"github.com/stoachat/stoa/domain/profilefield"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/ports"
)

const ownerKey = "desdemona"

type person struct {
	key   string // identifies the user in this package
	email string
	name  string
	role  user.Role
}

// demoUsers lists the users to create. The owner already exists.
var demoUsers = []person{
	{"iago", "iago@zulip.com", "Iago", user.Admin},
	{"shiva", "shiva@zulip.com", "Shiva", user.Moderator},
	{"aaron", "AARON@zulip.com", "aaron", user.Member},
	{"hamlet", "hamlet@zulip.com", "King Hamlet", user.Member},
	{"cordelia", "cordelia@zulip.com", "Cordelia, Lear's daughter", user.Member},
	{"othello", "othello@zulip.com", "Othello, the Moor of Venice", user.Member},
	{"prospero", "prospero@zulip.com", "Prospero from The Tempest", user.Member},
	{"zoe", "ZOE@zulip.com", "Zoe", user.Member},
	{"polonius", "polonius@zulip.com", "Polonius", user.Guest},
}

type demoChannel struct {
	ports.NewChannel
	members []string
	topics  []string

	moderation bool // reported messages are sent here
}

func open(name, description string, isDefault bool, members, topics []string) demoChannel {
	return demoChannel{
		NewChannel: ports.NewChannel{Name: name, Description: description, HistoryPublic: true, Default: isDefault},
		members:    members, topics: topics,
	}
}

// demoChannels lists the channels to create. The owner joins all of them.
var demoChannels = []demoChannel{
	open("Denmark", "A Scandinavian country", true,
		[]string{"iago", "shiva", "aaron", "hamlet", "cordelia", "othello", "prospero", "zoe"},
		[]string{"castle renovation", "ghost sightings", "lunch", "✔ new drawbridge"}),
	open("Verona", "A city in Italy", true,
		[]string{"iago", "shiva", "aaron", "hamlet", "cordelia", "othello", "prospero", "zoe", "polonius"},
		[]string{"lunch", "release plan", "balcony repairs", "masked ball", "onboarding"}),
	open("Scotland", "Located in the United Kingdom", false,
		[]string{"iago", "shiva", "hamlet", "cordelia", "prospero"},
		[]string{"weather", "travel", "moving forests", "release plan"}),
	open("Venice", "A northeastern Italian city", false,
		[]string{"iago", "aaron", "hamlet", "othello", "zoe", "polonius"},
		[]string{"boats", "handkerchiefs", "budget"}),
	open("Rome", "Yet another Italian city", false,
		[]string{"shiva", "hamlet", "othello", "cordelia"},
		[]string{"roads", "server logs", "books"}),
	open("Paris", "", false, []string{"cordelia", "zoe", "prospero"}, []string{"museums", "wedding"}),
	{
		NewChannel: ports.NewChannel{Name: "core team", Description: "A private channel for the core team", Private: true},
		members:    []string{"iago", "shiva"}, topics: []string{"plans", "incident review"},
	},
	{
		NewChannel: ports.NewChannel{Name: "moderation", Description: "Reported messages", Private: true},
		members:    []string{"iago", "shiva"}, moderation: true,
	},
}

// Users initially shown as active and as idle.
var (
	present = []string{ownerKey, "iago", "hamlet", "zoe"}
	idle    = []string{"shiva", "cordelia", "othello"}
)

// fields returns profile fields, at least one of each type.
func fields() []profilefield.Field {
	all := []profilefield.Field{
		{Type: profilefield.ShortText, Name: "Phone", Hint: "With the country code"},
		{Type: profilefield.LongText, Name: "About me", Hint: "A few lines in Markdown"},
		{Type: profilefield.ShortText, Name: "Signature dish", Hint: "What you bring to a party", Summary: true},
		{Type: profilefield.Select, Name: "Stage role", Hint: "What you do in the company", Data: profilefield.Data{
			Choices: map[string]profilefield.Choice{
				"0": {Text: "Actor", Order: "1"},
				"1": {Text: "Director", Order: "2"},
				"2": {Text: "Prompter", Order: "3"},
			},
		}},
		{Type: profilefield.Date, Name: "Birthday"},
		{Type: profilefield.Link, Name: "Home page", Hint: "A page of yours"},
		{Type: profilefield.Users, Name: "Understudies", Hint: "Who stands in for you"},
		{
			Type: profilefield.External,
			Name: "GitHub username",
			Data: profilefield.Data{Account: &profilefield.Account{Subtype: "github"}},
		},
		{Type: profilefield.Pronouns, Name: "Pronouns", Hint: "How others should refer to you"},
	}
	for i := range all {
		all[i].Editable = true
	}
	return all
}

// conversations lists the direct conversations.
var conversations = [][]string{
	{"desdemona", "othello"},
	{"desdemona", "iago"},
	{"iago", "othello"},
	{"hamlet", "polonius"},
	{"hamlet", "cordelia"},
	{"aaron", "zoe"},
	{"hamlet", "cordelia", "iago"},
	{"desdemona", "othello", "zoe"},
	{"shiva", "prospero", "aaron", "desdemona"},
	{"prospero"},
}

// messageTexts are the texts of messages. %s is replaced with the name of a participant.
var messageTexts = []string{
	"Good morning, everybody.",
	"Does anybody know when this is due?",
	"I think we should write this down before we forget it.",
	"Agreed. :thumbs_up:",
	"@**%s** could you have a look at this?",
	"Done, please check.",
	"That did not work for me. What exactly did you try?",
	"Here is what I got:\n```\nstatus: 200\nmessage: all is well\n```",
	"> All is well\n\nThat is good to hear.",
	"Three things are left:\n\n* the door\n* the windows\n* the roof",
	"See https://example.com/minutes for the notes of last week.",
	"*Really?* I had heard **something else**.",
	"I am out this afternoon; back tomorrow at nine.",
	"Let us meet in person. How about Thursday?",
	"Thursday is fine with me.",
	"It was `nil` all along.",
	"The numbers:\n\n| what | how many |\n|---|---|\n| done | 12 |\n| open | 3 |",
	"Could we move this to a topic of its own?",
	"No hurry, whenever you have time.",
	"Thank you, @**%s**! :tada:",
	"I have read it twice and I like it more each time.",
	"~~Tomorrow~~ Today, then.",
	"What would it take to finish this week?",
	"One more pair of hands, I think.",
	"This has been on the list since spring.",
	"Fixed. The cause was a missing comma.",
	"I do not have a strong opinion either way.",
	"Let us ask **%s**, who has done this before.",
	"Works for me now.",
	"Closing this; write if it comes back.",
}
