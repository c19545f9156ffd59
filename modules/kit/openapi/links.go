package openapi

import "strings"

// made is where the response of an operation names what it has made, and the parameter with which other operations name
// it.
type made struct{ at, parameter string }

// makers are the operations that make something, by ID.
var makers = map[string]made{
	"addLinkifier":            {"/id", "filter_id"},
	"addPlayground":           {"/id", "playground_id"},
	"createBot":               {"/user_id", "bot_id"},
	"createChannel":           {"/id", "stream_id"},
	"createChannelFolder":     {"/channel_folder_id", "channel_folder_id"},
	"createDraft":             {"/ids/0", "draft_id"},
	"createImport":            {"/id", "import_id"},
	"createRealmProfileField": {"/id", "field_id"},
	"createReminder":          {"/reminder_id", "reminder_id"},
	"createSavedSnippet":      {"/saved_snippet_id", "saved_snippet_id"},
	"createScheduledMessage":  {"/scheduled_message_id", "scheduled_message_id"},
	"createUser":              {"/user_id", "user_id"},
	"createUserGroup":         {"/group_id", "user_group_id"},
	"registerQueue":           {"/queue_id", "queue_id"},
	"sendMessage":             {"/id", "message_id"},
}

// Link says with which parameter another operation goes on from a response.
type Link struct {
	OperationID string            `json:"operationId"`
	Parameters  map[string]string `json:"parameters"`
}

// addLinks adds, to the responses of operations that make something, those that read, change or delete it.
func (d *Document) addLinks() {
	for id, m := range makers {
		from := d.operation(id)
		if from == nil || from.Responses["200"] == nil {
			continue
		}
		if !d.answersWith(id, m) {
			d.problems = append(d.problems, id+" does not respond with "+m.at)
		}
		links := map[string]Link{}
		for _, p := range d.Paths {
			for _, o := range p.Operations() {
				for _, q := range o.Parameters {
					if q.Name == m.parameter && q.Required {
						links[o.ID] = Link{o.ID, map[string]string{q.Name: "$response.body#" + m.at}}
					}
				}
			}
		}
		from.Responses["200"].Links = links
	}
}

// answersWith reports whether the response of an operation has the key that names what it has made.
func (d *Document) answersWith(id string, m made) bool {
	key, _, _ := strings.Cut(m.at[1:], "/")
	for _, x := range d.exchanges {
		if x.operation.ID == id {
			s := d.Schema(x.result)
			return s != nil && s.Properties.Get(key) != nil
		}
	}
	return false
}
