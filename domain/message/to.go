package message

import (
	"encoding/json"
	"strings"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/user"
)

// MaxRecipients is the maximum number of users that a direct message names.
const MaxRecipients = 250

// maxTo is the maximum length of to in bytes: 250 long email addresses in quotation marks.
const maxTo = 250 * 330

// ToChannel identifies a channel in a request, by ID or else by Name.
type ToChannel struct {
	ID   channel.ID
	Name string
}

// ToPeople identifies users in a request, all by ID or all by email address.
type ToPeople struct {
	IDs    []user.ID
	Emails []string
}

// ParseToChannel parses the parameter to of a channel message: an ID, a name, a quoted name, or a list of one of these.
// Errors: BadRequest.
func ParseToChannel(to string) (ToChannel, error) {
	if len(to) > maxTo {
		return ToChannel{}, errs.Bad("Expected exactly one channel")
	}
	raw := json.RawMessage(strings.TrimSpace(to))
	if !json.Valid(raw) {
		return ToChannel{Name: strings.TrimSpace(to)}, nil
	}
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) == nil && raw[0] == '[' {
		if len(list) != 1 {
			return ToChannel{}, errs.Bad("Expected exactly one channel")
		}
		raw = list[0]
	}
	var id channel.ID
	var name *string
	if json.Unmarshal(raw, &id) == nil && string(raw) != "null" {
		return ToChannel{ID: id}, nil
	}
	if json.Unmarshal(raw, &name) == nil && name != nil {
		return ToChannel{Name: strings.TrimSpace(*name)}, nil
	}
	return ToChannel{}, errs.Bad("Invalid data type for channel")
}

// ParseToPeople parses the parameter to of a direct message: a list of IDs, a list of email addresses, or email
// addresses separated by commas, quoted or not. Errors: BadRequest.
func ParseToPeople(to string) (ToPeople, error) {
	if len(to) > maxTo {
		return ToPeople{}, tooMany()
	}
	raw := strings.TrimSpace(to)
	if !json.Valid([]byte(raw)) {
		return people(nil, strings.Split(raw, ","))
	}
	var one *string
	if json.Unmarshal([]byte(raw), &one) == nil {
		if one == nil {
			return ToPeople{}, errs.Bad("Invalid data type for recipients")
		}
		return people(nil, strings.Split(*one, ","))
	}
	var id user.ID
	if json.Unmarshal([]byte(raw), &id) == nil { // some clients nest the list in another
		return people([]user.ID{id}, nil)
	}
	var list []json.RawMessage
	if json.Unmarshal([]byte(raw), &list) != nil {
		return ToPeople{}, errs.Bad("Invalid data type for recipients")
	}
	var ids []user.ID
	var emails []string
	for _, e := range list {
		var id *user.ID
		var email *string
		switch {
		case json.Unmarshal(e, &id) == nil && id != nil:
			ids = append(ids, *id)
		case json.Unmarshal(e, &email) == nil && email != nil:
			emails = append(emails, *email)
		default:
			return ToPeople{}, errs.Bad("Invalid data type for recipients")
		}
	}
	if len(ids) > 0 && len(emails) > 0 {
		return ToPeople{}, errs.Bad("Recipient lists may contain emails or user IDs, but not both.")
	}
	return people(ids, emails)
}

func people(ids []user.ID, emails []string) (ToPeople, error) {
	var to ToPeople
	seenID, seenEmail := map[user.ID]bool{}, map[string]bool{}
	for _, id := range ids {
		if !seenID[id] {
			seenID[id] = true
			to.IDs = append(to.IDs, id)
		}
	}
	for _, e := range emails {
		e = strings.TrimSpace(e)
		if key := user.EmailKey(e); e != "" && !seenEmail[key] {
			seenEmail[key] = true
			to.Emails = append(to.Emails, e)
		}
	}
	if len(to.IDs)+len(to.Emails) > MaxRecipients {
		return ToPeople{}, tooMany()
	}
	return to, nil
}

func tooMany() error { return errs.Bad("Too many recipients (maximum %d)", MaxRecipients) }
