// Package oracle compares what clients see with what they must see: over random sequences of requests, for each setting
// of notifications, and for secrets.
//
// # State by events is state by register
//
// TestStateByEventsIsStateByRegister takes random steps as several users, whose clients have random capabilities. What
// a client knows from its events must equal the response to a new POST /register; rendered messages must equal those
// that it fetches again. TestStateByEventsWhileThingsChange does so while users make changes at the same time.
//
// A failure means that an event is missing, has the wrong receivers or content, or that the model applies it in another
// way than clients do. It prints the seed, the client (user and parameters), up to eight differences as
// "path: from events / from register", the steps with their responses, and the events that the client received. Repeat
// that sequence alone:
//
//	STOA_STATE_SEED=17 STOA_STATE_SEQUENCES=1 go test ./app/proof/oracle -run TestStateByEventsIsStateByRegister
//
// The last steps are usually the cause: find the event that should have reported the difference. A step that is always
// refused tests nothing; go test -v lists how often each request succeeded.
//
// For a new route that changes state, add a step to state_steps_*_test.go and to the list steps. For a new event, teach
// the model to apply it: (*model).apply in state_events_test.go. For a new key of /register, add its identifying fields
// to keys, or the reason for ignoring it to skipped, in state_model_test.go.
//
// With STOA_STATE_RECORDS=DIR, the sequences are recorded for the store of the web client, which replays them.
// TestViewsByEventsAreViewsByReload takes the same steps while views of the web client are open;
// modules/web/ui/README.md documents it. make test-web runs both.
//
// # Notifications
//
// TestNoticeSettings checks, for each setting that affects notifications, which notifications a user gets with each of
// its values: on a phone, by email, and in the web client. A failure names the setting, its value and the action. Each
// setting needs a row in notice_rows_test.go, or TestEveryNoticeSettingHasARow fails.
//
// # Leaks
//
// The tests in leak_*_test.go put words where some users must not see them, and search for these words in all events,
// responses and logs that these users can get, also after they have lost access (leak_revoked_test.go, with two nodes).
// A failure prints the text around the word, and where it was found. Package access searches the responses of all
// routes in the same way: add a secret of a new module there, and a test here only if it is about the order of events.
package oracle
