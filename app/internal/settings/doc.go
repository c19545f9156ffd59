// Package settings stores and changes the settings that modules declare (kit.Parts.Settings, domain/declared): of the
// organization, of users and of channels. Values are rows of the table module_settings, and a slot of the view. A
// module that is left out and returns finds its values again.
//
// Clients that ask for the section stoa_settings of /register receive the declarations with their values. Changes are
// events of the type stoa_settings, which only clients receive that name it in event_types, or have the capability
// stoa_settings.
//
//	settings.go  the contribution to the server
//	change.go    the routes
//	section.go   /register
//	follow.go    reactions to other changes
//	command.go   stoa setting list, stoa setting set
package settings
