package imports

import "github.com/stoachat/stoa/modules/kit"

// words describes the fields of requests and responses.
var words = kit.Words{
	"cancel":       "Whether to only end the dry run or the import, which stays locked and can be continued.",
	"choices":      "What was chosen for the import; null: nothing yet.",
	"collisions":   "The channels and groups that are called otherwise here, for which names can be chosen.",
	"code":         "A stable name of the reason, for translations; empty: it has none.",
	"converted":    "How many are imported, but not completely.",
	"counts":       "How many records of each kind the archive has, by what becomes of them.",
	"detail":       "What the reason ends with, such as the name of an emoji; empty: nothing.",
	"email_domain": "The domain of the addresses of people without one.",
	"error":        "Why it has failed; empty: it has not.",
	"examples":     "Where some of the records are in the archive.",
	"file_name":    "The name of the file.",
	"import_id":    "The ID of the import.",
	"imported":     "How many are imported completely.",
	"imported_from": "The program from whose archive the organization was imported: mattermost, slack, " +
		"stoa or zulip; empty: it was not imported.",
	"imported_realm_id":  "The ID of the organization that was imported; null: none yet.",
	"imported_realm_url": "The URL of the organization that was imported; empty: none yet.",
	"imports":            "The imports.",
	"key":                "What identifies the channel or group in the archive.",
	"links":              "The links.",
	"main_topic": "The topic of messages outside of threads; empty: \"imported from\" and the program. " +
		"For programs without topics.",
	"mails":            "Whether the server can send links to people.",
	"messages_written": "How many messages have been written.",
	"name_here":        "The name that it has here.",
	"names":            "The names that were chosen for channels and groups of the archive.",
	"no_direct":        "Whether to leave out direct messages.",
	"no_files":         "Whether to leave out files.",
	"no_pins":          "Whether to leave out the lists of pinned messages. For programs without topics.",
	"notes":            "Sentences about the import as a whole.",
	"offered":          "Whether the user may import organizations.",
	"offset":           "How many bytes precede the part.",
	"owner_email":      "The email address of whoever owns the organization if the archive names no owner.",
	"part_size":        "The maximum size of a part in bytes.",
	"program":          "The program that has written the archive: mattermost, slack, stoa or zulip.",
	"reason":           "Why, in English.",
	"reasons":          "Why records are imported incompletely or not at all, the most frequent reasons first.",
	"recent_count":     "How many people were sent a link recently, and get no other one yet.",
	"received":         "How many bytes have been received.",
	"refusal":          "Why the caller cannot import; empty: nothing is in the way.",
	"refused":          "How many could not be read.",
	"report":           "What becomes of the records of the archive; null: it has not been checked.",
	"send":             "Whether to send the links to the people by email, instead of returning them.",
	"sent_count":       "How many links are being sent by email.",
	"since":            "Only messages from this day on, as 2006-01-02; empty: all.",
	"skipped":          "How many are left out.",
	"split": "Whether messages outside of threads get a topic per period: none, year or month. For " +
		"programs without topics.",
	"state": "How far it is: uploading, uploaded, checking, checked, running, complete, failed, " +
		"canceling, canceled or deleting.",
	"step":         "What is being written.",
	"stoa_imports": "What the user can know about imports.",
	"threads": "Where replies go. topics: a topic for each thread; inline: the main topic. For " +
		"programs without topics.",
	"until":     "Only messages before this day, as 2006-01-02; empty: all.",
	"workspace": "The workspace or team, if the archive contains several; empty: the only one.",
}
