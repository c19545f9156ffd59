package format

import (
	"cmp"
	"fmt"
	"strings"
)

// glSystem holds the fields of events that system hooks and groups send about projects, groups and users. The body
// names the event, in event_name.
type glSystem struct {
	Event      string   `json:"event_name"`
	Path       string   `json:"path_with_namespace"`
	OldPath    string   `json:"old_path_with_namespace"`
	FullPath   string   `json:"full_path"` // of groups
	OldFull    string   `json:"old_full_path"`
	Username   string   `json:"username"`
	OldName    string   `json:"old_username"`
	Owner      string   `json:"owner_name"`
	Visible    string   `json:"project_visibility"`
	ToProject  string   `json:"project_path_with_namespace"`
	InProject  string   `json:"project_name"`
	ToGroup    string   `json:"group_name"`
	Access     string   `json:"access_level"`
	InAccess   string   `json:"project_access"`
	GroupLevel string   `json:"group_access"`
	Refs       []string `json:"refs"`
}

// glHooks maps the kind that a body names to the header of the same event.
var glHooks = map[string]string{
	"push": "Push Hook", "tag_push": "Tag Push Hook", "issue": "Issue Hook", "work_item": "Issue Hook",
	"note": "Note Hook", "merge_request": "Merge Request Hook", "pipeline": "Pipeline Hook", "build": "Job Hook",
	"release": "Release Hook", "wiki_page": "Wiki Page Hook", "deployment": "Deployment Hook",
	"feature_flag": "Feature Flag Hook", "emoji": "Emoji Hook", "milestone": "Milestone Hook",
	"access_token":  "Resource Access Token Hook",
	"vulnerability": "Vulnerability Hook",
}

// system returns the message for an event of a system hook that no other hook has.
func (p *glPayload) system() (Message, error) {
	s := p.glSystem
	project := cmp.Or(s.Path, s.ToProject, s.InProject, p.ReleaseName)
	group := cmp.Or(s.FullPath, s.ToGroup, p.ReleaseName)
	who := cmp.Or(line(p.Name), line(p.ReleaseName), line(s.Username), "Somebody")
	role := ""
	if access := cmp.Or(s.InAccess, s.GroupLevel, s.Access); access != "" {
		role = " as " + title(access)
	}
	in, topic := "project "+code(project), project
	if strings.HasSuffix(s.Event, "_group") {
		in, topic = "group "+code(group), group
	}
	say := func(topic, format string, args ...any) (Message, error) {
		return Message{Topic: truncate(cmp.Or(line(topic), "GitLab"), 60), Content: fmt.Sprintf(format, args...)}, nil
	}
	switch s.Event {
	case "project_create":
		by := ""
		if s.Owner != "" {
			by = ", owned by " + title(s.Owner)
		}
		return say(project, "Project %s was created%s.", code(project), by)
	case "project_destroy":
		return say(project, "Project %s was deleted.", code(project))
	case "project_update":
		return say(project, "Project %s was updated.", code(project))
	case "project_rename":
		return say(project, "Project %s was renamed to %s.", code(s.OldPath), code(project))
	case "project_transfer":
		return say(project, "Project %s was moved to %s.", code(s.OldPath), code(project))
	case "group_create", "subgroup_create":
		return say(group, "Group %s was created.", code(group))
	case "group_destroy", "subgroup_destroy":
		return say(group, "Group %s was deleted.", code(group))
	case "group_rename":
		return say(group, "Group %s was renamed to %s.", code(s.OldFull), code(group))
	case "user_add_to_team", "user_add_to_group":
		return say(topic, "%s was added to %s%s.", who, in, role)
	case "user_remove_from_team", "user_remove_from_group":
		return say(topic, "%s was removed from %s.", who, in)
	case "user_update_for_team", "user_update_for_group":
		return say(topic, "%s is now in %s%s.", who, in, role)
	case "user_access_request_to_project", "user_access_request_to_group":
		return say(topic, "%s requested access to %s.", who, in)
	case "user_access_request_revoked_for_project", "user_access_request_revoked_for_group":
		return say(topic, "%s no longer requests access to %s.", who, in)
	case "user_create":
		return say("users", "User %s (%s) was created.", code(s.Username), who)
	case "user_destroy":
		return say("users", "User %s (%s) was deleted.", code(s.Username), who)
	case "user_rename":
		return say("users", "User %s was renamed to %s.", code(s.OldName), code(s.Username))
	case "user_failed_login":
		return say("users", "User %s, who is blocked, failed to log in.", code(s.Username))
	case "key_create":
		return say("users", "User %s added an SSH key.", code(s.Username))
	case "key_destroy":
		return say("users", "User %s removed an SSH key.", code(s.Username))
	case "repository_update":
		var refs []string
		for _, ref := range s.Refs {
			refs = append(refs, code(ref))
		}
		return say(p.repo(), "%s updated the repository %s.%s", who, code(p.repo()), list(refs, 20))
	case "":
		return Message{}, anomalous("event_name")
	}
	return say("", "GitLab sent the event %s about %s.", code(s.Event), code(cmp.Or(project, s.Username, "this instance")))
}
