// Package declared describes settings that modules declare: of the organization, of a user, or of a channel. From the
// declaration, the server derives everything else: storage, changes, events, /register, the audit log, exports, and the
// forms in the web client. The module reads the value from the view:
//
//	var setters = declared.ForRealm("can_set_birthday_group",
//		declared.Group(group.Rule{Default: group.Everyone, Nobody: true, Everyone: true}),
//		"Who can enter a birthday", "Without the permission, a birthday can only be read.")
//
//	kit.Parts{Settings: []declared.Any{setters}}
//
//	permission.In(v, setters.In(v), a.User)
//
//	setting.go  the declarations
//	kinds.go    the kinds of values
//	shared.go   the values in the view
package declared
