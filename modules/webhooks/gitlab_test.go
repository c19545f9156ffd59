package webhooks_test

import "testing"

func TestGitLabChanges(t *testing.T) {
	h := start(t, "")
	const link, topic = "[MR !7 Fix login](http://gl.example.com/mr/7)", "Shop / MR !7 Fix login"
	mr := func(attributes, changes string) delivery {
		return delivery{"gitlab", "X-Gitlab-Event: Merge Request Hook", `{"object_kind":"merge_request",
			"event_type":"merge_request","user":{"id":1,"name":"Ann","username":"ann"},"project":{"id":2,"name":"Shop",
			"web_url":"http://gl.example.com/shop","visibility_level":0},"object_attributes":{"id":99,"iid":7,
			"title":"Fix login","url":"http://gl.example.com/mr/7","action":"update",` + attributes + `"state":"opened"},
			"changes":` + changes + `}`, topic, ""}
	}
	becomes := func(d delivery, text string) delivery { d.text = text; return d }
	const user = `{"id":3,"name":"Bob","username":"bob","avatar_url":null,"email":"[REDACTED]"}`
	h.posts(t, []delivery{
		becomes(mr("", `{"assignees":{"previous":[],"current":[`+user+`]},"updated_at":{"previous":"a","current":"b"}}`),
			"Ann updated "+link+".\n* Assigned Bob"),
		becomes(mr("", `{"assignees":{"previous":[`+user+`],"current":[]},"reviewers":{"previous":[{"name":"Cy"}],
			"current":[`+user+`]}}`),
			"Ann updated "+link+".\n* Unassigned Bob\n* Requested a review from Bob\n* Removed Cy from the reviewers"),
		becomes(mr("", `{"labels":{"previous":[{"id":1,"title":"API","color":"#fff"},{"title":"old"}],
			"current":[{"id":1,"title":"API"},{"title":"bug"},{"title":"now"}]}}`),
			"Ann updated "+link+".\n* Added the labels bug, now\n* Removed the labels old"),
		becomes(mr("", `{"draft":{"previous":true,"current":false},"title":{"previous":"Draft: Fix login",
			"current":"Fix login"},"work_in_progress":{"previous":true,"current":false}}`),
			"Ann updated "+link+".\n* Marked as ready\n* Title: `Draft: Fix login` → `Fix login`"),
		becomes(mr("", `{"draft":{"previous":"false","current":"true"},"description":{"previous":"","current":"x"},
			"milestone_id":{"previous":null,"current":4},"target_branch":{"previous":"main","current":"dev"}}`),
			"Ann updated "+link+".\n* Marked as draft\n* Target branch: `main` → `dev`\n* Edited the description\n"+
				"* Changed the milestone"),
		becomes(mr(`"oldrev":"da1560886d4f","last_commit":{"id":"b6568db1bc1dcd7f","message":"Check it\n\nLong",
			"url":"http://gl.example.com/c"},`, `{"updated_at":{"previous":"a","current":"b"}}`), "Ann updated "+link+
			".\n* Pushed new commits, the last of which is Check it ([b6568db1bc1](http://gl.example.com/c))"),
		becomes(mr("", `[]`), "Ann updated "+link+"."),
		// Numbers as text, and issues, which change in the same ways.
		{"gitlab", "X-Gitlab-Event: Issue Hook", `{"object_kind":"issue","user":{"name":"Ann"},"project":{"name":"Shop"},
			"object_attributes":{"iid":"5","title":404,"url":"http://gl.example.com/i/5","action":"update"},
			"changes":{"labels":{"previous":null,"current":{"title":"bug"}},"confidential":{"previous":false,"current":true},
			"weight":{"previous":null,"current":3}}}`, "Shop / issue #5 404",
			"Ann updated [issue #5 404](http://gl.example.com/i/5).\n* Added the labels bug\n* Made confidential\n" +
				"* Weight: none → `3`"},
		{"gitlab", "X-Gitlab-Event: Note Hook", `{"object_kind":"note","user":{"name":"Ann"},"project":{"name":"Shop"},
			"object_attributes":{"note":"Better","url":"http://gl.example.com/n","action":"update"},"merge_request":{"iid":7,
			"title":"Fix login","url":"http://gl.example.com/mr/7"}}`, topic,
			"Ann edited a [comment](http://gl.example.com/n) on " + link + ".\n\n```quote\nBetter\n```"},
		{"gitlab", "X-Gitlab-Event: Deployment Hook", `{"object_kind":"deployment","status":"success",
			"environment":"staging","deployable_url":"http://gl.example.com/d","user":{"name":"Ann"},
			"project":{"name":"Shop"}}`, "Shop", "Deployment to [staging](http://gl.example.com/d) by Ann: success."},
		{"gitlab", "X-Gitlab-Event: Feature Flag Hook", `{"object_kind":"feature_flag","project":{"name":"Shop"},
			"user":{"name":"Ann"},"object_attributes":{"id":6,"name":"beta","active":true}}`, "Shop",
			"Ann turned the feature flag `beta` on."},
		{"gitlab", "X-Gitlab-Event: Emoji Hook", `{"object_kind":"emoji","event_type":"award","project":{"name":"Shop"},
			"user":{"name":"Ann"},"object_attributes":{"name":"thumbsup","awardable_type":"Issue"},"issue":{"title":"Bug",
			"url":"http://gl.example.com/i/5"}}`, "Shop",
			"Ann added :thumbsup: on [issue Bug](http://gl.example.com/i/5)."},
	})
}

func TestGitLabSystemHooks(t *testing.T) {
	h := start(t, "")
	system := func(topic, text, body string) delivery {
		return delivery{"gitlab", "X-Gitlab-Event: System Hook", body, topic, text}
	}
	h.posts(t, []delivery{
		system("jsmith/storecloud", "Project `jsmith/storecloud` was created, owned by John Smith.",
			`{"event_name":"project_create","name":"StoreCloud","owner_email":"j@x.org","owner_name":"John Smith",
			"owners":[{"name":"John","email":"user@x.org"}],"path":"storecloud","path_with_namespace":"jsmith/storecloud",
			"project_id":74,"project_visibility":"private"}`),
		system("jsmith/b", "Project `jsmith/a` was renamed to `jsmith/b`.", `{"event_name":"project_rename","name":"B",
			"path_with_namespace":"jsmith/b","old_path_with_namespace":"jsmith/a"}`),
		system("jsmith/storecloud", "John Smith was added to project `jsmith/storecloud` as Maintainer.",
			`{"event_name":"user_add_to_team","access_level":"Maintainer","project_id":74,"project_name":"StoreCloud",
			"project_path":"storecloud","project_path_with_namespace":"jsmith/storecloud","user_email":"j@x.org",
			"user_name":"John Smith","user_username":"johnsmith","user_id":41,"project_visibility":"visibilitylevel|private"}`),
		system("users", "User `js` (John Smith) was created.", `{"created_at":"2012-07-21T07:44:07Z","email":"js@x.org",
			"event_name":"user_create","name":"John Smith","username":"js","user_id":41}`),
		system("users", "User `js` added an SSH key.", `{"event_name":"key_create","username":"js","key":"ssh-rsa AAA",
			"id":4}`),
		system("users", "User `new-example` was renamed to `new_person`.", `{"event_name":"user_rename","name":"N",
			"username":"new_person","old_username":"new-example"}`),
		system("StoreCloud", "John Smith was removed from group `StoreCloud`.", `{"event_name":"user_remove_from_group",
			"group_access":"Maintainer","group_name":"StoreCloud","group_path":"storecloud","user_name":"John Smith"}`),
		system("Example", "John Smith updated the repository `Example`.\n* `refs/heads/main`", `{"event_name":
			"repository_update","user_id":1,"user_name":"John Smith","project":{"name":"Example","visibility_level":0},
			"changes":[{"before":"8205ea8d","after":"4045ea7a","ref":"refs/heads/main"}],"refs":["refs/heads/main"]}`),
		system("Example / main", "John Smith [pushed 1 commit](http://gl.example.com/e/-/compare/95790bf...da15608) "+
			"to branch `main`.\n* Add it ([c5feabde2d8](http://gl.example.com/c))", `{"event_name":"push","before":"95790bf",
			"after":"da15608","ref":"refs/heads/main","user_name":"John Smith","project":{"name":"Example",
			"web_url":"http://gl.example.com/e"},"commits":[{"id":"c5feabde2d8cd023","message":"Add it",
			"url":"http://gl.example.com/c"}],"total_commits_count":1}`),
		system("Example / MR !1 MS", "Admin opened [MR !1 MS](http://gl.example.com/1) from `a` to `main`.",
			`{"object_kind":"merge_request","event_type":"merge_request","user":{"name":"Admin"},"project":{"name":"Example"},
			"object_attributes":{"iid":1,"title":"MS","url":"http://gl.example.com/1","action":"open","source_branch":"a",
			"target_branch":"main"}}`),
		system("GitLab", "GitLab sent the event `license_expired` about `this instance`.",
			`{"event_name":"license_expired"}`),
		{"gitlab", "X-Gitlab-Event: Subgroup Hook", `{"event_name":"subgroup_create","name":"sub","full_path":"g/sub",
			"parent_name":"g"}`, "g/sub", "Group `g/sub` was created."},
	})
}
