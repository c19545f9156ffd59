package wasm

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/domain/webhook"
)

// acting does what a guest asks for during a call, as the guest's bot.
type acting struct {
	*service
	realm realm.ID
	guest *guest
}

// act is something that guests can do.
type act struct {
	needs permission // "": nothing
	do    func(x *acting, ctx context.Context, args json.RawMessage) (any, error)
}

// acts lists what guests can do. Nothing else of the server is within their reach.
var acts = map[string]act{
	"log":          {"", decoded((*acting).log)},
	"send_message": {sendMessages, decoded((*acting).send)},
	"react":        {react, decoded((*acting).react)},
	"list_users":   {readUsers, decoded((*acting).users)},
	"get_value":    {storeValues, decoded((*acting).get)},
	"set_value":    {storeValues, decoded((*acting).set)},
	"list_values":  {storeValues, decoded((*acting).keys)},
	"list_owned":   {storeValues, decoded((*acting).owned)},
	"http":         {callHosts, decoded((*acting).http)},
}

// decoded returns a function for acts that decodes the arguments.
func decoded[T any](do func(*acting, context.Context, T) (any, error)) func(
	*acting, context.Context, json.RawMessage) (any, error) {
	return func(x *acting, ctx context.Context, args json.RawMessage) (any, error) {
		var in T
		d := json.NewDecoder(bytes.NewReader(args))
		d.DisallowUnknownFields()
		if err := d.Decode(&in); err != nil {
			return nil, errs.Bad("the arguments can't be read: %v", err)
		}
		return do(x, ctx, in)
	}
}

type asked struct {
	Act  string          `json:"act"`
	Args json.RawMessage `json:"args"`
}

// answered is the result of an act, or why it was refused.
type answered struct {
	Result any    `json:"result,omitempty"`
	Error  string `json:"error,omitempty"`
}

// act does what a guest asks for. Guests see the same errors as clients of the API, and no others. An error ends the
// call.
func (x *acting) act(ctx context.Context, text []byte) ([]byte, error) {
	var in asked
	if err := json.Unmarshal(text, &in); err != nil {
		return nil, fmt.Errorf("what it asks for is not valid JSON: %w", err)
	}
	var out answered
	a, known := acts[in.Act]
	switch {
	case !known:
		out.Error = "unknown act"
	case a.needs != "" && !x.guest.Manifest.may(a.needs):
		out.Error = fmt.Sprintf("the manifest lacks the permission %s", a.needs)
	default:
		var refused *errs.Error
		var err error
		switch out.Result, err = a.do(x, ctx, in.Args); {
		case errors.As(err, &refused):
			out.Error = refused.Msg
		case err != nil:
			out.Error = "internal error"
			x.Logger.WarnContext(ctx, "act of a module failed", "module", x.guest.Manifest.Name, "act", in.Act, "error", err)
		}
	}
	return json.Marshal(out)
}

func (x *acting) bot(ctx context.Context) (user.Actor, error) {
	return x.Accounts.Bot(ctx, x.realm, x.guest.Manifest.botName(), x.guest.Manifest.Title)
}

const maxLogged = 1000 // bytes

type logArgs struct {
	Text string `json:"text"`
}

func (x *acting) log(ctx context.Context, in logArgs) (any, error) {
	text := strings.ToValidUTF8(in.Text[:min(len(in.Text), maxLogged)], "")
	x.Logger.InfoContext(ctx, "module logs", "module", x.guest.Manifest.Name, "text", text)
	return nil, nil
}

type sendArgs struct {
	Channel channel.ID `json:"channel"` // 0: a direct message
	Topic   string     `json:"topic"`
	To      []user.ID  `json:"to"`
	Content string     `json:"content"`
}

func (x *acting) send(ctx context.Context, in sendArgs) (any, error) {
	as, err := x.bot(ctx)
	if err != nil {
		return nil, err
	}
	return x.Sender.Send(ctx, as, message.Outgoing{Channel: in.Channel, Topic: in.Topic, To: in.To, Content: in.Content})
}

type reactArgs struct {
	Message message.ID `json:"message"`
	Emoji   string     `json:"emoji"`
	Remove  bool       `json:"remove"`
}

func (x *acting) react(ctx context.Context, in reactArgs) (any, error) {
	as, err := x.bot(ctx)
	if err != nil {
		return nil, err
	}
	if in.Remove {
		return nil, x.Actions.Unreact(ctx, as, in.Message, in.Emoji)
	}
	return nil, x.Actions.React(ctx, as, in.Message, in.Emoji)
}

const maxListed = 1000 // users or keys

type usersArgs struct {
	After user.ID `json:"after"`
}

// users returns the next users, by ID.
func (x *acting) users(ctx context.Context, in usersArgs) (any, error) {
	v, err := x.Directory.View(ctx, x.realm)
	if err != nil {
		return nil, err
	}
	all := []guestUser{}
	for u := range v.Users() {
		if u.ID > in.After && !u.System {
			all = append(all, seen(u))
		}
	}
	slices.SortFunc(all, func(a, b guestUser) int { return cmp.Compare(a.ID, b.ID) })
	return all[:min(len(all), maxListed)], nil
}

const (
	maxKey    = 200      // bytes
	maxValue  = 64 << 10 // bytes
	maxValues = 10_000   // of one module
)

type valueArgs struct {
	User  user.ID `json:"user"` // 0: of no user
	Key   string  `json:"key"`
	Value *string `json:"value"` // null: delete it
	After string  `json:"after"` // of list_values
}

func (x *acting) place(in valueArgs) place { return place{x.guest.ID, in.User, in.Key} }

func (x *acting) get(ctx context.Context, in valueArgs) (any, error) {
	return x.rows.Value(ctx, x.place(in))
}

// keys returns the next keys of a user's values that begin with a key.
func (x *acting) keys(ctx context.Context, in valueArgs) (any, error) {
	return x.rows.Keys(ctx, x.place(in), in.After, maxListed)
}

type ownedValue struct {
	User  user.ID `json:"user"`
	Value string  `json:"value"`
}

const maxOwned = 1 << 19 // bytes of the values of list_owned

// owned returns the values with a key of the next users after one of them.
func (x *acting) owned(ctx context.Context, in valueArgs) (any, error) {
	rows, err := x.rows.Owned(ctx, x.place(in), maxListed)
	all, size := []ownedValue{}, 0
	for _, r := range rows {
		if size += len(r.Value); size > maxOwned && len(all) > 0 {
			break
		}
		all = append(all, ownedValue{r.UserID, r.Value})
	}
	return all, err
}

func (x *acting) set(ctx context.Context, in valueArgs) (any, error) {
	text := in.Key
	if in.Value != nil {
		text += *in.Value
	}
	switch {
	case in.Key == "" || len(in.Key) > maxKey || len(text) > maxKey+maxValue:
		return nil, errs.Bad("keys have 1 to %d bytes, and values at most %d", maxKey, maxValue)
	case !utf8.ValidString(text) || strings.Contains(text, "\x00"):
		return nil, errs.Bad("keys and values are UTF-8 without NUL")
	}
	return nil, x.Work.Do(ctx, func(ctx context.Context) error {
		v, err := x.Directory.View(ctx, x.realm)
		if err != nil {
			return err
		}
		if byID(v, x.guest.ID) == nil {
			return errs.Bad("the module has been removed")
		}
		if in.User != 0 && v.User(in.User) == nil {
			return errs.Bad("no such user")
		}
		if in.Value == nil {
			return x.rows.DeleteValue(ctx, x.place(in))
		}
		n, size, err := x.rows.Used(ctx, x.place(in))
		if err != nil {
			return err
		}
		if n >= maxValues || size+len(text) > x.cfg.StorageMiB<<20 {
			return errs.Bad("the storage is full: at most %d values with %d MiB", maxValues, x.cfg.StorageMiB)
		}
		return x.rows.SetValue(ctx, &value{
			ModuleID: x.guest.ID, UserID: in.User, Key: in.Key, RealmID: x.realm, Value: *in.Value, Size: len(text),
		})
	})
}

type httpArgs struct {
	URL  string `json:"url"`
	Type string `json:"type"` // of the body; "": a GET request
	Body string `json:"body"`
}

type httpResult struct {
	Status int    `json:"status"`
	Body   string `json:"body"`
}

// http calls one of the hosts in the manifest. The adapter refuses private addresses, whatever the host resolves to,
// and follows no redirects.
func (x *acting) http(ctx context.Context, in httpArgs) (any, error) {
	u, err := url.Parse(in.URL)
	if err != nil || u.Scheme != "https" || u.User != nil || !slices.Contains(x.guest.Manifest.Hosts, u.Host) {
		return nil, errs.Bad("only https and the hosts in the manifest may be called, without a port")
	}
	if x.Webhooks == nil {
		return nil, errs.Bad("this server calls no others")
	}
	var res webhook.Reply
	if in.Type == "" {
		res, err = x.Webhooks.Get(ctx, in.URL, "*/*")
	} else {
		res, err = x.Webhooks.Post(ctx, webhook.Call{URL: in.URL, ContentType: in.Type, Body: []byte(in.Body)})
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return nil, errs.Bad("the server did not answer in time")
	}
	return httpResult{res.Status, string(res.Body)}, err
}
