package importing

import "strings"

// Reasons why files that are downloaded are not imported.
const (
	NotAnswered = "could not be downloaded"
	ForeignHost = "is not on the hosts of its program"
	TooLarge    = "is larger than --max-file"
)

// manyReasons is the reason of records after maxReasons others, which only archives made for that reach.
const (
	manyReasons = "another reason"
	maxReasons  = 1000
)

// codes are stable names of reasons, by which clients translate them. A reason that ends with a space is a prefix,
// which precedes a detail. Several reasons have one code if the difference does not matter to readers.
var codes = map[string]string{
	"malformed":                       "malformed",
	"the rest of the file is damaged": "damaged_file",
	"its file is damaged: the rest of it cannot be read": "damaged_file",
	"empty":                                                      "empty",
	"deleted or hidden by plan":                                  "hidden",
	"deleted later":                                              "deleted",
	"notice of Slack: ":                                          "notice",
	"a damaged notice":                                           "damaged_notice",
	"applied to the message that it changes":                     "applied",
	"repeats a reply":                                            "repeats",
	"of the type ":                                               "unknown_type",
	"of the unknown subtype ":                                    "unknown_type",
	"a block of an unknown type":                                 "unknown_block",
	"buttons and input fields become their labels":               "buttons",
	"quotes and code in lists become text":                       "nested",
	"longer than a message can be; split":                        "split",
	"has no key":                                                 "no_key",
	"has no key or no sender":                                    "no_key",
	"belongs to no channel of the archive":                       "no_channel",
	"to a channel that is not in the archive":                    "no_channel",
	"has no receivers":                                           "no_receivers",
	"has no author":                                              "no_author",
	"its sender or its channel was refused":                      "no_author",
	"has no valid time":                                          "no_time",
	"the message has no time":                                    "no_time",
	"the time of the message is in the future":                   "no_time",
	"sent before --since or after --until":                       "outside_days",
	"direct messages are left out (--no-direct)":                 "no_direct",
	"in a channel that is left out (--channels)":                 "outside_channels",
	"in another team":                                            "other_team",
	"another team":                                               "other_team",
	"belongs to another workspace":                               "other_team",
	"is not in the team, and wrote nothing that is imported":     "other_team",
	"is in the archive twice":                                    "twice",
	"is listed twice":                                            "twice",
	"listed twice":                                               "twice",
	"given twice":                                                "twice",
	"of somebody who is not in the archive":                      "no_person",
	"by somebody who is not in the archive":                      "no_person",
	"of somebody who was not imported":                           "no_person",
	"its person is not listed":                                   "no_person",
	"is missing in the archive":                                  "no_file",
	"its content is not in the archive":                          "no_file",
	"its image is missing in the archive":                        "no_file",
	"a file of it is missing in the archive":                     "lacks_file",
	"links to a file that is not in the archive":                 "lacks_file",
	"its image cannot be read":                                   "bad_image",
	"this server has no module that stores it":                   "no_module",
	"this server stores no files: the module uploads is off":     "no_module",
	"has no place here":                                          "no_place",
	"no place in this server":                                    "no_place",
	"a table that has no place here":                             "no_place",
	"permissions have no equivalent: ":                           "no_place",
	"a property of a post without an equivalent":                 "no_place",
	"a line of an unknown type":                                  "no_place",
	"direct conversations have no header":                        "no_place",
	"messages cannot be pinned in direct conversations":          "no_place",
	"is in the folder of no channel":                             "no_folder",
	"has the address of another person; both become one":         "merged",
	"has no address, and is deactivated":                         "no_address",
	"has no name":                                                "no_name",
	"has no valid name or no image":                              "no_name",
	"the description is too long; cut":                           "cut",
	"its purpose and topic are longer than a description can be": "cut",
	"its emoji does not exist here: ":                            "no_emoji",
	"its history is damaged":                                     "damaged_history",
	"belongs to the other server":                                "other_server",
	"is not imported into an existing organization":              "existing",
	"an emoji with this name exists here":                        "emoji_exists",
	NotAnswered:                                                  "not_downloaded",
	ForeignHost:                                                  "foreign_host",
	TooLarge:                                                     "too_large",
	"does not exist any more where it would be downloaded":       "gone",
	manyReasons:                                                  "other",
}

// code returns the stable name of a reason, "" for one that has none, and the detail after a prefix.
func code(reason string) (name, detail string) {
	if name, ok := codes[reason]; ok {
		return name, ""
	}
	for i := range len(reason) {
		if reason[i] != ' ' {
			continue
		}
		if name, ok := codes[reason[:i+1]]; ok {
			return name, strings.TrimSpace(reason[i+1:])
		}
	}
	return "", ""
}
