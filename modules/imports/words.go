package imports

import "github.com/stoachat/stoa/modules/kit"

// words describes the fields of requests and responses.
var words = kit.Words{
	"choices":            "What was chosen for the import; null: nothing yet.",
	"converted":          "How many are imported, but not completely.",
	"counts":             "How many records of each kind the archive has, by what becomes of them.",
	"email_domain":       "The domain of the addresses of people without one.",
	"error":              "Why it has failed; empty: it has not.",
	"examples":           "Where some of the records are in the archive.",
	"file_name":          "The name of the file.",
	"import_id":          "The ID of the import.",
	"imported":           "How many are imported completely.",
	"imported_realm_id":  "The ID of the organization that was imported; 0: none yet.",
	"imported_realm_url": "The URL of the organization that was imported; empty: none yet.",
	"imports":            "The imports.",
	"links":              "The links.",
	"messages_written":   "How many messages have been written.",
	"no_direct":          "Whether to leave out direct messages.",
	"no_files":           "Whether to leave out files.",
	"notes":              "Sentences about the import as a whole.",
	"offset":             "How many bytes precede the part.",
	"owner_email":        "The email address of whoever owns the organization if the archive names no owner.",
	"part_size":          "The maximum size of a part in bytes.",
	"program":            "The program that has written the archive: mattermost, slack, stoa or zulip.",
	"reason":             "Why.",
	"reasons":            "Why records are imported incompletely or not at all, the most frequent reasons first.",
	"received":           "How many bytes have been received.",
	"refusal":            "Why the caller cannot import; empty: nothing is in the way.",
	"refused":            "How many could not be read.",
	"report":             "What becomes of the records of the archive; null: it has not been checked.",
	"skipped":            "How many are left out.",
	"state":              "The state.",
	"step":               "What is being written.",
}
