// Package groups manages user groups. Only groups created by users are stored: the members of system groups follow from
// users' roles.
//
// Groups are part of the directory view. They contain users and, without cycles, other groups (domain/group), and
// permissions refer to them. A group in use cannot be deactivated; the error lists its uses.
//
// Ports: provides Members.
//
// Tables: user_groups, user_group_members, user_group_subgroups.
//
// Events: user_group add, update, remove, add_members, remove_members, add_subgroups, remove_subgroups.
package groups
