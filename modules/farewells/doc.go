// Package farewells informs people by email that their account was deactivated, if the administrator asked for it. Bots
// get no email, and neither does a person who was reactivated before it was sent.
//
// It uses ports.Outbox of mail, and reacts to user.Deactivated. Table: farewells.
package farewells
