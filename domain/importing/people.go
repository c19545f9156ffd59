package importing

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/stoachat/stoa/domain/user"
)

// InvalidDomain is the host of the addresses of people without one. It can never exist.
const InvalidDomain = "import.invalid"

// PersonName returns a valid full name, or "" if nothing is left of the one in the source.
func PersonName(name string) string {
	name = CleanName(name, user.MaxName, "*`\\>\"@")
	for i := strings.LastIndexByte(name, '|'); i >= 0 && strings.Trim(name[i+1:], "0123456789") == ""; {
		name = strings.TrimSpace(name[:i]) // such an end identifies a user in a mention
		i = strings.LastIndexByte(name, '|')
	}
	if !strings.ContainsFunc(name, user.IsVisible) {
		return ""
	}
	return name
}

// PlaceholderName returns the name of somebody who wrote something but is in no list.
func PlaceholderName(name string, key Key) string {
	if name = PersonName(Shorten(name, user.MaxName-len(" (imported)"))); name != "" {
		return name + " (imported)"
	}
	return PersonName("Unknown " + string(key))
}

// Address returns a valid email address: that of the source, or one made of the key and a domain. made reports which.
func Address(email string, key Key, domain string) (address string, made bool) {
	if address, err := user.CheckEmail(email); err == nil {
		return address, false
	}
	local := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '-', r == '_':
			return r
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		}
		return '-'
	}, string(key))
	if local = strings.Trim(local, "-"); local == "" {
		local = fmt.Sprintf("%x", key)
	}
	return local[:min(len(local), 60)] + "@" + cmp.Or(domain, InvalidDomain), true
}

// MergePeople makes one person of those with the same address, and returns the keys of the others with the key of the
// remaining one. It keeps the first one's name, the highest role, and the earliest date; the person is active if one of
// them is.
func MergePeople(all []Person) (people []Person, same map[Key]Key) {
	same = map[Key]Key{}
	at := map[string]int{}
	for _, p := range all {
		key := user.EmailKey(p.Email)
		i, known := at[key]
		if key == "" || !known {
			at[key] = len(people)
			people = append(people, p)
			continue
		}
		first := &people[i]
		same[p.Key] = first.Key
		first.Inactive = first.Inactive && p.Inactive
		if p.Role != 0 && (first.Role == 0 || p.Role < first.Role) {
			first.Role = p.Role
		}
		if !p.Joined.IsZero() && (first.Joined.IsZero() || p.Joined.Before(first.Joined)) {
			first.Joined = p.Joined
		}
		if first.Name == "" {
			first.Name = p.Name
		}
		if first.Avatar == nil {
			first.Avatar = p.Avatar
		}
	}
	return people, same
}

// ChooseOwner makes sure that there is an active owner. If there is none, the administrator who joined first becomes
// one; promoted is then that person's key. It returns false if there is no administrator either.
func ChooseOwner(people []Person) (promoted Key, ok bool) {
	best := -1
	for i := range people {
		p := &people[i]
		switch {
		case p.Inactive || p.Bot != user.Human || p.Role == 0:
		case p.Role == user.Owner:
			return "", true
		case p.Role == user.Admin && (best < 0 || joinedBefore(p, &people[best])):
			best = i
		}
	}
	if best < 0 {
		return "", false
	}
	people[best].Role = user.Owner
	return people[best].Key, true
}

func joinedBefore(a, b *Person) bool {
	far := time.Unix(1<<40, 0)
	x, y := a.Joined, b.Joined
	if x.IsZero() {
		x = far
	}
	if y.IsZero() {
		y = far
	}
	return x.Before(y) || x.Equal(y) && a.Key < b.Key
}

// Names gives out names that are unique when compared by a key.
type Names struct {
	key   func(string) string
	limit int
	taken map[string]bool
	next  map[string]int // by key: the number that may be free
}

// NewNames returns Names of at most limit code points. key returns the form in which names are compared.
func NewNames(limit int, key func(string) string, taken ...string) *Names {
	n := &Names{key: key, limit: limit, taken: map[string]bool{}, next: map[string]int{}}
	for _, name := range taken {
		n.taken[key(name)] = true
	}
	return n
}

// Take returns the name, or if it is taken, the name with the first free number: "name (2)".
func (n *Names) Take(name string) string {
	unique := name
	for key, i := n.key(name), 2; n.taken[n.key(unique)]; i++ {
		i = max(i, n.next[key])
		suffix := fmt.Sprintf(" (%d)", i)
		unique = Shorten(name, n.limit-len(suffix)) + suffix
		n.next[key] = i + 1
	}
	n.taken[n.key(unique)] = true
	return unique
}

// Keys returns keys without duplicates, each replaced by the one under which same lists it, sorted.
func Keys(all []Key, same map[Key]Key) []Key {
	out := make([]Key, 0, len(all))
	for _, k := range all {
		out = append(out, cmp.Or(same[k], k))
	}
	slices.Sort(out)
	return slices.Compact(out)
}
