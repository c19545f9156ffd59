package openapi

import "github.com/stoachat/stoa/modules/kit"

// rules says whom the access rules admit.
var rules = map[string]string{
	kit.Anyone.Name():       "Everybody, without login.",
	kit.Spectators.Name():   "All users, and everybody without login if the organization has public channels.",
	kit.Users.Name():        "All users, guests and bots included.",
	kit.Humans.Name():       "All users but bots.",
	kit.Bots.Name():         "Bots.",
	kit.Members.Name():      "All users but guests.",
	kit.HumanMembers.Name(): "All users but guests and bots.",
	kit.Moderators.Name():   "Moderators, administrators and owners.",
	kit.Admins.Name():       "Administrators and owners.",
	kit.Owners.Name():       "Owners.",
}

func accessRule(of kit.Access) AccessRule {
	r := AccessRule{Rule: of.Name(), Setting: of.Setting(), Text: rules[of.Name()]}
	if r.Setting != "" {
		r.Text = "Users in the group that the setting " + r.Setting + " names."
	}
	return r
}
