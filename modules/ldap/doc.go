// Package ldap logs in people with their passwords in an LDAP directory (RFC 4511), and keeps their accounts as the
// directory says. The login form and POST /fetch_api_key take these passwords, so that apps work unmodified. The module
// identities decides who may enter.
//
// Rules:
//
//   - A name is looked up with a service account, and must belong to one entry; the server then binds as this entry
//     with the password. With user_dn, it binds at once. An empty password never reaches the directory, since servers
//     take it for an anonymous bind, which succeeds. Names are escaped in filters and DNs.
//   - Connections use TLS 1.2 or later with a verified certificate, or none if the configuration says insecure.
//     Referrals are not followed. Answers are limited in time and size. While a directory fails, it is asked once in
//     30 seconds, and passwords that the server itself stores work.
//   - An identity is the directory and the entry's unchangeable ID. Names, addresses, roles and memberships of
//     connected accounts follow the entry, at each login and hourly.
//   - Wrong passwords are counted by entry as well, because an entry has many names.
//   - Whoever is deactivated in the directory cannot log in at once, and loses sessions, keys and queues at the
//     next synchronization. One that would deactivate too many people, or finds nobody, deactivates nobody. It
//     reactivates only whom it has deactivated.
//
// Tables: ldap_people, with the name with which people have logged in. Ports: it uses Identities, Accounts and
// PasswordSources. Hooks: it handles user.Reactivated and user.ProfileDeleted.
package ldap
