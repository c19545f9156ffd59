package relay

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"strconv"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/push"
)

// Request is one notification as sent by a server.
type Request struct {
	TokenID string
	Kind    push.TokenKind
	Urgent  bool   // shown immediately; otherwise processed in the background
	KeyID   uint32 // of the key that Data is encrypted with
	Data    string // base64
	ID      string // identifies repeats; "": Data does
}

// Maximum lengths in bytes. Every service accepts payloads with maxData bytes of data.
const (
	maxData = 3800
	maxID   = 100
)

// Call holds the notifications of one organization that a server sends together.
type Call struct {
	Realm    string // UUID
	Requests []Request
	Repeats  bool // the server can retry single requests by token ID
}

// ReadCall parses the body of a call with at most limit requests. Errors: BadRequest.
func ReadCall(body []byte, limit int) (Call, error) {
	in := struct {
		Realm    string   `json:"realm_uuid"`
		Requests requests `json:"push_requests"`
		Repeats  bool     `json:"wants_retry_token_ids"`
	}{Requests: requests{limit: limit}}
	if err := json.Unmarshal(body, &in); err != nil {
		return Call{}, errs.Bad("The body is not valid JSON of a notification call.").Because(err)
	}
	realm, err := readRealm(in.Realm)
	if err != nil {
		return Call{}, err
	}
	if in.Requests.excess {
		return Call{}, errs.Bad("Too many push requests; at most %d are accepted in one call.", limit)
	}
	out := Call{realm, make([]Request, len(in.Requests.all)), in.Repeats}
	for i, r := range in.Requests.all {
		if out.Requests[i], err = r.read(); err != nil {
			return Call{}, err
		}
	}
	return out, nil
}

// requests is a list that decodes at most limit elements.
type requests struct {
	limit  int
	all    []wireRequest
	excess bool
}

// UnmarshalJSON implements json.Unmarshaler.
func (r *requests) UnmarshalJSON(b []byte) error {
	r.all, r.excess = nil, false
	d := json.NewDecoder(bytes.NewReader(b))
	if t, err := d.Token(); err != nil || t != json.Delim('[') {
		return errs.Bad("push_requests is not a list.")
	}
	for d.More() {
		if len(r.all) == r.limit {
			r.excess = true
			return nil
		}
		var one wireRequest
		if err := d.Decode(&one); err != nil {
			return err
		}
		r.all = append(r.all, one)
	}
	return nil
}

type wireRequest struct {
	TokenID  string  `json:"token_id"`
	ID       string  `json:"notification_id"`
	Priority *string `json:"fcm_priority"`
	Urgency  *string `json:"web_urgency"`
	Headers  *struct {
		Priority int    `json:"apns_priority"`
		Type     string `json:"apns_push_type"`
	} `json:"http_headers"`
	Payload struct {
		KeyID keyID  `json:"push_key_id"`
		Data  string `json:"encrypted_data"`
	} `json:"payload"`
}

// keyID is a number that FCM requires as a string.
type keyID uint32

// UnmarshalJSON implements json.Unmarshaler.
func (k *keyID) UnmarshalJSON(b []byte) error {
	n, err := strconv.ParseUint(string(bytes.Trim(b, `"`)), 10, 32)
	*k = keyID(n)
	return err
}

func (w wireRequest) read() (Request, error) {
	r := Request{TokenID: w.TokenID, KeyID: uint32(w.Payload.KeyID), Data: w.Payload.Data, ID: w.ID}
	if !push.IsTokenID(r.TokenID) {
		return r, errs.Bad("Invalid token_id")
	}
	if _, err := push.DecodeBase64(r.Data); err != nil || r.Data == "" || len(r.Data) > maxData {
		return r, errs.Bad("encrypted_data must be base64 of at most %d characters.", maxData)
	}
	if len(r.ID) > maxID {
		return r, errs.Bad("notification_id has more than %d bytes.", maxID)
	}
	var ok bool
	switch {
	case w.Priority != nil && w.Urgency == nil && w.Headers == nil:
		r.Kind = push.FCM
		r.Urgent, ok = urgent(*w.Priority)
	case w.Urgency != nil && w.Priority == nil && w.Headers == nil:
		r.Kind = push.Web
		r.Urgent, ok = urgent(*w.Urgency)
	case w.Headers != nil && w.Priority == nil && w.Urgency == nil:
		r.Kind, r.Urgent = push.APNs, w.Headers.Priority == 10
		ok = r.Urgent && w.Headers.Type == "alert" || w.Headers.Priority == 5 && w.Headers.Type == "background"
	}
	if !ok {
		return r, errs.Bad("A push request needs exactly one of fcm_priority, http_headers and web_urgency, " +
			"with a valid value.")
	}
	return r, nil
}

func urgent(text string) (urgent, ok bool) { return text == "high", text == "high" || text == "normal" }

// Delivery is a notification for a device.
type Delivery struct {
	Target
	Urgent   bool
	KeyID    uint32
	Data     string // base64
	Collapse string // 32 characters of URL-safe base64, identical for repeats and unique otherwise
}

// To returns the delivery of a server's request to a target.
func (r Request) To(t Target, server, realm string) Delivery {
	h := sha256.New()
	which := "data " + r.Data
	if r.ID != "" {
		which = "id " + r.ID
	}
	for _, part := range []string{server, realm, r.TokenID, which} {
		h.Write([]byte(strconv.Itoa(len(part)) + ":" + part))
	}
	return Delivery{t, r.Urgent, r.KeyID, r.Data, base64.RawURLEncoding.EncodeToString(h.Sum(nil)[:24])}
}
