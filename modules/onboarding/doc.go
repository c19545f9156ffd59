// Package onboarding remembers which of the clients' one-time hints a person has seen.
//
// Table: onboarding_steps. Event: onboarding_steps, to the person alone.
package onboarding
