// Package welcomemails greets people by email when their account has been created. It does not greet accounts that the
// server itself creates: the first owner, people created on the command line, and those of the demo.
//
// It uses ports.Outbox of mail, and has no table.
package welcomemails
