package ldap

import (
	"encoding/hex"
	"strconv"
	"strings"
	"time"

	"github.com/go-ldap/ldap/v3"
	"github.com/google/uuid"

	"github.com/stoachat/stoa/domain/signin"
)

// lockAttributes are the attributes with which directories deactivate people.
var lockAttributes = []string{
	"userAccountControl", "accountExpires", "nsAccountLock", "pwdAccountLockedTime", "shadowExpire",
}

// identity returns who an entry is. Groups are added by groups.
func (d *directory) identity(e *ldap.Entry) (signin.Identity, error) {
	subject, err := d.subject(e)
	if err != nil {
		return signin.Identity{}, err
	}
	id := signin.Identity{Subject: subject, Name: d.text(e, d.NameAttribute), Email: d.text(e, d.EmailAttribute)}
	id.Language, id.Timezone = d.text(e, "preferredLanguage"), d.text(e, d.TimezoneAttribute)
	if id.Name == "" {
		id.Name = d.text(e, "cn")
	}
	if uid := d.text(e, d.UIDAttribute); id.Email == "" && uid != "" {
		id.Email = uid
		if d.AppendDomain != "" && !strings.Contains(uid, "@") {
			id.Email += "@" + d.AppendDomain
		}
	}
	id.Verified = id.Email != "" // people who maintain the directory have entered it
	return id, nil
}

func (d *directory) text(e *ldap.Entry, attribute string) string {
	return e.GetEqualFoldAttributeValue(attribute)
}

// subject returns the unchangeable ID of an entry.
func (d *directory) subject(e *ldap.Entry) (string, error) {
	values := e.GetEqualFoldRawAttributeValues(d.IDAttribute)
	switch {
	case len(values) == 0:
		return "", setupError("the entry has no attribute " + d.IDAttribute +
			", or bind_dn may not read it: see id_attribute")
	case len(values) > 1:
		return "", setupError("the entry has several values of " + d.IDAttribute + ": see id_attribute")
	}
	value := values[0]
	if strings.EqualFold(d.IDAttribute, "objectGUID") && len(value) == 16 {
		// The first three parts are little-endian.
		return uuid.UUID{
			value[3], value[2], value[1], value[0], value[5], value[4], value[7], value[6], value[8], value[9], value[10],
			value[11], value[12], value[13], value[14], value[15],
		}.String(), nil
	}
	if signin.ValidSubject(string(value)) {
		return string(value), nil
	}
	if encoded := hex.EncodeToString(value); signin.ValidSubject(encoded) {
		return encoded, nil
	}
	return "", setupError("the value of id_attribute is empty or too long")
}

// accountDisabled is a bit of userAccountControl.
const accountDisabled = 2

// lockedForEver is the value of pwdAccountLockedTime that an administrator sets. Others are set after wrong passwords,
// which anybody can enter, and end by themselves.
const lockedForEver = "000001010000Z"

// active reports whether the directory lets a person log in.
func (d *directory) active(e *ldap.Entry, now time.Time) bool {
	control, _ := strconv.ParseInt(d.text(e, "userAccountControl"), 10, 64)
	switch {
	case control&accountDisabled != 0,
		truth(d.text(e, "nsAccountLock")),
		d.text(e, "pwdAccountLockedTime") == lockedForEver:
		return false
	case d.ActiveAttribute != "" && d.text(e, d.ActiveAttribute) != "" && !truth(d.text(e, d.ActiveAttribute)):
		return false
	}
	if days, err := strconv.ParseInt(d.text(e, "shadowExpire"), 10, 32); err == nil && days >= 0 &&
		!now.Before(time.Unix(days*24*60*60, 0)) {
		return false
	}
	// Tenths of microseconds since 1601; 0 and the largest value: never.
	const never, year1970 = 1<<63 - 1, 116444736000000000
	expires, err := strconv.ParseInt(d.text(e, "accountExpires"), 10, 64)
	return err != nil || expires == 0 || expires == never ||
		now.Before(time.Unix((expires-year1970)/10_000_000, 0))
}

func truth(s string) bool {
	return strings.EqualFold(s, "true") || s == "1" || strings.EqualFold(s, "yes")
}
