package sdk

type object map[string]any

// Log writes a line to the server's log.
func Log(text string) { _, _ = ask[any]("log", object{"text": text}) } // there is nowhere to report an error

// Send sends a message to a channel as the module's bot, and returns its ID. Permission: send_messages.
func Send(channelID int64, topic, content string) (int64, error) {
	return ask[int64]("send_message", object{"channel": channelID, "topic": topic, "content": content})
}

// SendDirect sends a direct message as the module's bot, and returns its ID. Permission: send_messages.
func SendDirect(content string, to ...int64) (int64, error) {
	return ask[int64]("send_message", object{"to": to, "content": content})
}

// React adds a reaction of the module's bot. Permission: react.
func React(messageID int64, emoji string) error {
	_, err := ask[any]("react", object{"message": messageID, "emoji": emoji})
	return err
}

// Unreact removes a reaction of the module's bot. Permission: react.
func Unreact(messageID int64, emoji string) error {
	_, err := ask[any]("react", object{"message": messageID, "emoji": emoji, "remove": true})
	return err
}

// Users returns the users with IDs above after, at most 1000, in the order of their IDs. Permission: users.
func Users(after int64) ([]User, error) { return ask[[]User]("list_users", object{"after": after}) }

// Values are what the module has stored: texts by key. A key has at most 200 bytes, a value 64 KiB. Permission:
// storage.
type Values struct{ user int64 }

// Shared returns values that belong to no user.
func Shared() Values { return Values{} }

// Of returns values about a user, which are erased together with the user's other data. Keep nothing that identifies a
// person elsewhere.
func Of(userID int64) Values { return Values{userID} }

// Get returns a value, and false if there is none.
func (v Values) Get(key string) (string, bool, error) {
	text, err := ask[*string]("get_value", object{"user": v.user, "key": key})
	if err != nil || text == nil {
		return "", false, err
	}
	return *text, true, nil
}

// Set stores a value.
func (v Values) Set(key, value string) error {
	_, err := ask[any]("set_value", object{"user": v.user, "key": key, "value": value})
	return err
}

// Delete deletes a value.
func (v Values) Delete(key string) error {
	_, err := ask[any]("set_value", object{"user": v.user, "key": key})
	return err
}

// Keys returns the keys that begin with prefix and follow after in the order of their bytes, at most 1000.
func (v Values) Keys(prefix, after string) ([]string, error) {
	return ask[[]string]("list_values", object{"user": v.user, "key": prefix, "after": after})
}

// Owned is a value about a user.
type Owned struct {
	User  int64  `json:"user"`
	Value string `json:"value"`
}

// Owners returns the values with a key of users with IDs above after, some at once, in the order of their IDs.
// Permission: storage.
func Owners(key string, after int64) ([]Owned, error) {
	return ask[[]Owned]("list_owned", object{"user": after, "key": key})
}

// Response is the response of another server.
type Response struct {
	Status int    `json:"status"`
	Body   string `json:"body"`
}

// Get requests a URL with the scheme https from one of the hosts in the manifest. Permission: http.
func Get(url string) (Response, error) { return ask[Response]("http", object{"url": url}) }

// Post posts a body to a URL with the scheme https at one of the hosts in the manifest. Permission: http.
func Post(url, mediaType, body string) (Response, error) {
	return ask[Response]("http", object{"url": url, "type": mediaType, "body": body})
}
