package push

// atOnce is a time at which anything is due.
const atOnce = "'1970-01-01 00:00:00+00:00'"

// earliest returns the selections for the backlogs of the jobs: registrations to be forwarded, notifications to be sent
// or checked, and Web Push requests to be retried. Nothing is due that cannot be sent.
func earliest(service, web bool) (registrations, notices, retries string) {
	registrations, notices, retries = "SELECT NULL", "SELECT NULL", "SELECT NULL"
	if service {
		registrations = "SELECT min(due_at) FROM push_registrations"
	}
	if service || web {
		notices = "SELECT CASE WHEN EXISTS (SELECT 1 FROM push_rechecks) THEN " + atOnce +
			" ELSE (SELECT min(due_at) FROM push_notices WHERE state IN (0, 2)) END"
	}
	if web {
		retries = "SELECT min(COALESCE(d.retry_at, " + atOnce + ")) FROM push_repeats AS r " +
			"JOIN push_devices AS d ON d.id = r.device_id WHERE d.subscription <> ''"
	}
	return registrations, notices, retries
}
