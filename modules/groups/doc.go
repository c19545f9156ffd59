// Package groups manages user groups: the list of all groups, and those that people create. The system groups need no
// table; they follow from roles.
//
// Groups are shared facts. They contain people and other groups without cycles (domain/group), and permissions refer to
// them. A group in use cannot be deactivated; the refusal names where it is used.
//
// Ports: it provides Members.
// Tables: user_groups, user_group_members, user_group_subgroups.
// Events: user_group add, update, remove, add_members, remove_members, add_subgroups, remove_subgroups.
package groups
