// Package groups manages user groups: the list of all groups, and the groups that users create. System groups follow
// from roles and need no table.
//
// Groups are shared facts. They contain people and other groups without cycles (domain/group), and permissions refer to
// them. A group in use cannot be deactivated; the error names its uses.
//
// Ports: it provides Members.
//
// Tables: user_groups, user_group_members, user_group_subgroups.
//
// Events: user_group add, update, remove, add_members, remove_members, add_subgroups, remove_subgroups.
package groups
