// Package twofactor asks people for a second factor when they log in: a code of an authenticator app (TOTP, RFC 6238),
// a recovery code, or a passkey (Web Authentication), which also logs in without a password.
//
// Rules:
//
//   - Whoever has set up a second factor gives it after each login with a password or at an identity provider, before
//     there is a session, an API key for an app, or a code for the desktop app. The page needs no JavaScript. POST
//     /fetch_api_key, which cannot ask for it, refuses with SECOND_FACTOR_REQUIRED once the password is right; apps
//     then open the login page in a browser (signin.WithSecondFactor).
//   - API keys and sessions that exist are not asked for it, but end with the days to set it up, once.
//   - The code of each step of 30 seconds counts once, also on several nodes. Clocks may differ by one step. Of all
//     codes that are tried, wrong ones count: five in five minutes for each person, and five in each login.
//   - Secrets are sealed with the server's secret, for one user each. Recovery codes are hashed and deleted when used.
//   - A login continues only in the browser that began it, which has a cookie for that, for some minutes. A change of
//     the password ends it.
//   - The organization can require a second factor of administrators or of everybody. People have some days to set it
//     up; then their sessions and API keys end, and they set it up during the login.
//   - Changing a factor needs a login in the last five minutes, or the password. Removing one ends the person's other
//     sessions. Each change is mailed to the person, and recorded in the audit log.
//   - Administrators remove the factors of others who have lost them, but only owners those of owners. No email can.
//
// A passkey that is used without a password must verify its owner, so that it is two factors. Its challenge is kept
// with the login and counts once. A device that says later whether its passkeys can be copied is believed, since its
// signature covers that; a counter that goes back is refused unless they can be.
//
// Tables: passkeys, passkey_users, second_factors, recovery_codes, second_steps with logins in progress, and
// second_factor_notices.
//
// Settings: require_second_factor and second_factor_grace_days. Hooks: it handles user.ProfileDeleted and
// user.LoginChanged. Queries: it asks user.HasPassword and session.Began, and answers signin.Methods,
// signin.SecondStep, signin.SecondFactor and mail.Composition.
package twofactor
