// Package welcomemails sends new users a welcome email. Accounts created by the server are excluded: the first owner,
// users created on the command line, and demo users.
//
// Tables: none. Ports: it uses Outbox of mail.
package welcomemails
