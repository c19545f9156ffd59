// Package onboarding records which of the clients' one-time hints a user has seen.
//
// Table: onboarding_steps. Event: onboarding_steps, sent only to the user.
package onboarding
