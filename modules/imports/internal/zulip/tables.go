package zulip

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/stoachat/stoa/domain/importing"
)

// tables are the tables that are kept.
type tables struct {
	realms        []realmRow
	users         []userRow
	robots        []robotRow // of the server
	streams       []streamRow
	recipients    map[int64]recipientRow
	subscriptions []subscriptionRow
	members       map[int64][]importing.Key // of direct conversations, by recipient
	defaults      map[int64]bool            // streams
	groups        []groupRow
	named         map[int64]groupRow
	groupMembers  map[int64][]importing.Key
	subgroups     map[int64][]int64
	emoji         []emojiRow
	fields        []fieldRow
	values        map[int64]map[importing.Key]string // of profile fields, by user
	words         map[int64][]string
	statuses      map[int64]statusRow
	topics        []topicRow
	identities    map[int64][]importing.Identity
	clients       map[int64]string
	reactions     []reaction
	emojis        []emojiName // that reactions use
	emojiIndex    map[emojiName]int32
	copied        []importing.Row
	paths         map[string]bool // of uploaded files
}

// reaction is a reaction, as small as possible: they are kept in memory.
type reaction struct {
	message int64
	user    int32
	emoji   int32 // index
}

// emojiName is what the emoji of reactions has in common.
type emojiName struct{ Name, Code, Type string }

// readTables reads realm.json and the list of uploaded files.
func (s *source) readTables(ctx context.Context) error {
	s.tables = tables{
		recipients: map[int64]recipientRow{}, members: map[int64][]importing.Key{}, defaults: map[int64]bool{},
		named: map[int64]groupRow{}, groupMembers: map[int64][]importing.Key{}, subgroups: map[int64][]int64{},
		values: map[int64]map[importing.Key]string{}, words: map[int64][]string{}, statuses: map[int64]statusRow{},
		identities: map[int64][]importing.Identity{}, clients: map[int64]string{}, emojiIndex: map[emojiName]int32{},
		paths: map[string]bool{},
	}
	err := s.read(ctx, "realm.json", func(table, where string, row []byte) error { s.row(table, where, row); return nil })
	var broken damage
	if errors.As(err, &broken) {
		return importing.Unusable("realm.json is damaged or incomplete (%v); needed is %s", err, wanted)
	}
	if err != nil {
		return err
	}
	slices.SortFunc(s.reactions, func(a, b reaction) int {
		return cmp.Or(cmp.Compare(a.message, b.message), cmp.Compare(a.user, b.user), cmp.Compare(a.emoji, b.emoji))
	})
	for _, sub := range s.subscriptions {
		if r := s.recipients[sub.Recipient]; r.Type == huddleType || r.Type == personalType {
			s.members[sub.Recipient] = append(s.members[sub.Recipient], key(sub.User))
		}
	}
	return s.attachments(ctx, func(a *attachmentRow, _ string) error { s.paths[a.Path] = true; return nil }, nil)
}

// place is where rows of a table are kept, and the kind as which they are counted if they are malformed.
type place struct {
	kind importing.Kind
	add  func(t *tables, row []byte) bool // false: malformed
}

// into decodes a row and adds it.
func into[R any](kind importing.Kind, add func(t *tables, r R) bool) place {
	return place{kind, func(t *tables, row []byte) bool {
		var r R
		return importing.Decode(row, &r) == nil && add(t, r)
	}}
}

// places are the tables that are read, with the names that they have had.
var places = map[string]place{
	"zerver_realm": into(importing.Realms, func(t *tables, r realmRow) bool {
		t.realms = append(t.realms, r)
		return true
	}),
	"zerver_userprofile": into(importing.People, func(t *tables, r userRow) bool {
		if r.ID <= 0 {
			return false
		}
		t.users = append(t.users, r)
		return true
	}),
	"zerver_userprofile_mirrordummy": into(importing.People, func(t *tables, r userRow) bool {
		r.Dummy = true
		if r.ID <= 0 {
			return false
		}
		t.users = append(t.users, r)
		return true
	}),
	"zerver_userprofile_crossrealm": into(importing.People, func(t *tables, r robotRow) bool {
		if r.ID <= 0 {
			return false
		}
		t.robots = append(t.robots, r)
		return true
	}),
	"zerver_stream": into(importing.Channels, func(t *tables, r streamRow) bool {
		if r.ID <= 0 {
			return false
		}
		t.streams = append(t.streams, r)
		return true
	}),
	"zerver_recipient": into(importing.Others, func(t *tables, r recipientRow) bool {
		t.recipients[r.ID] = r
		return r.ID > 0
	}),
	"zerver_subscription": into(importing.Subscriptions, func(t *tables, r subscriptionRow) bool {
		if r.User <= 0 || r.Recipient <= 0 {
			return false
		}
		t.subscriptions = append(t.subscriptions, r)
		return true
	}),
	"zerver_defaultstream": into(importing.Others, func(t *tables, r struct{ Stream int64 }) bool {
		t.defaults[r.Stream] = true
		return true
	}),
	"zerver_usergroup": into(importing.Groups, func(t *tables, r groupRow) bool {
		if r.ID <= 0 {
			return false
		}
		t.groups = append(t.groups, r)
		return true
	}),
	"zerver_namedusergroup": into(importing.Groups, func(t *tables, r groupRow) bool {
		t.named[r.Pointer] = r
		return r.Pointer > 0
	}),
	"zerver_usergroupmembership": into(importing.Others, func(t *tables, r groupMemberRow) bool {
		t.groupMembers[r.Group] = append(t.groupMembers[r.Group], key(r.User))
		return r.User > 0
	}),
	"zerver_groupgroupmembership": into(importing.Others, func(t *tables, r subgroupRow) bool {
		t.subgroups[r.Supergroup] = append(t.subgroups[r.Supergroup], r.Subgroup)
		return true
	}),
	"zerver_realmemoji": into(importing.Emojis, func(t *tables, r emojiRow) bool {
		if r.ID <= 0 {
			return false
		}
		t.emoji = append(t.emoji, r)
		return true
	}),
	"zerver_customprofilefield": into(importing.Fields, func(t *tables, r fieldRow) bool {
		if r.ID <= 0 {
			return false
		}
		t.fields = append(t.fields, r)
		return true
	}),
	"zerver_customprofilefieldvalue": into(importing.Values, func(t *tables, r valueRow) bool {
		if t.values[r.User] == nil {
			t.values[r.User] = map[importing.Key]string{}
		}
		t.values[r.User][key(r.Field)] = importing.CleanText(r.Value)
		return r.User > 0
	}),
	"zerver_alertword": into(importing.Others, func(t *tables, r wordRow) bool {
		t.words[r.User] = append(t.words[r.User], importing.CleanText(r.Word))
		return r.Word != ""
	}),
	"zerver_userstatus": into(importing.Others, func(t *tables, r statusRow) bool {
		t.statuses[r.User] = r
		return true
	}),
	"zerver_usertopic": into(importing.Policies, func(t *tables, r topicRow) bool {
		t.topics = append(t.topics, r)
		return true
	}),
	"zerver_mutedtopic": into(importing.Policies, func(t *tables, r topicRow) bool {
		r.Policy = 1
		t.topics = append(t.topics, r)
		return true
	}),
	"zerver_externalauthid": into(importing.Others, func(t *tables, r identityRow) bool {
		t.identities[r.User] = append(t.identities[r.User], importing.Identity{Provider: r.Method, Subject: r.ID})
		return r.User > 0 && r.Method != "" && r.ID != ""
	}),
	"zerver_client": into(importing.Others, func(t *tables, r clientRow) bool {
		t.clients[r.ID] = importing.CleanText(r.Name)
		return true
	}),
	"zerver_reaction": into(importing.Reactions, func(t *tables, r reactionRow) bool {
		name := emojiName{importing.CleanText(r.Name), r.Code, r.Type}
		if r.User <= 0 || r.User > 1<<31-1 || r.Message <= 0 || name.Name == "" {
			return false
		}
		i, ok := t.emojiIndex[name]
		if !ok {
			i = int32(len(t.emojis))
			t.emojis, t.emojiIndex[name] = append(t.emojis, name), i
		}
		t.reactions = append(t.reactions, reaction{r.Message, int32(r.User), i})
		return true
	}),
}

// uncounted are the tables whose rows are a part of other records.
var uncounted = []string{"zerver_recipient", "zerver_huddle", "zerver_client", "zerver_namedusergroup"}

// row keeps a row of realm.json, or counts why it is not kept.
func (s *source) row(table, where string, row []byte) {
	p, ok := places[table]
	switch {
	case ok && !p.add(&s.tables, row):
		s.Report.Count(p.kind, importing.Refused, "malformed", where)
	case ok && p.kind == importing.Others && !slices.Contains(uncounted, table):
		s.Report.Count(p.kind, importing.Imported, "", "")
	case ok:
	case copies[table].to != "":
		if !s.copy(copies[table], row) {
			s.Report.Count(importing.Kind(copies[table].to), importing.Refused, "malformed", where)
		}
	case !slices.Contains(uncounted, table):
		s.Report.Count(importing.Others, importing.Skipped, "a table that has no place here", table)
	}
}

func key(id int64) importing.Key {
	if id == 0 {
		return ""
	}
	return importing.Key(itoa(id))
}
