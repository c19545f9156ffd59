// Package groups manages user groups. Only groups created by users are stored: the members of system groups follow from
// users' roles.
//
// Groups are part of the directory view. They contain users and, without cycles, other groups (domain/group), and
// permissions refer to them. A group in use cannot be deactivated; the error lists its uses.
//
// The number of groups is limited per realm, per author and per day (domain/quota). Deactivated groups do not count
// toward the realm's limit but toward their authors', and keep their names, until an owner deletes them with DELETE
// /user_groups/{user_group_id}.
//
// Tables: user_groups, user_group_members, user_group_subgroups. Ports: provides Groups.
//
// Events: user_group add, update, remove, add_members, remove_members, add_subgroups, remove_subgroups.
package groups
