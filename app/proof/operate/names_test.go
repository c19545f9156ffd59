package operate_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/ports"
)

// scripted does a bit of everything that is measured.
func scripted(t *testing.T, s *kittest.Server) {
	t.Helper()
	s.As("olga").Upload("POST /user_uploads", "a.txt", []byte("text")).OK()
	s.Anonymous().Do("POST /external/json?stream=general&api_key="+s.As("bot").Key(), "payload", "{}")
	answer := hold(t, s, s.As("bob").Register())
	s.As("olga").Do("POST /messages", "type", "channel", "to", `"general"`, "topic", "t", "content", "hello").OK()
	answer().OK()
	s.As("olga").Do("POST /messages", "type", "direct", "to", `["bob@example.com"]`, "content", "hello").OK()
	s.Anonymous().Do("POST /fetch_api_key", "username", "bob@example.com", "password", "wrong password")
	s.Anonymous().Do("POST /fetch_api_key", "username", "bob@example.com", "password", kittest.Password).OK()
	for _, job := range []string{"events.sweep", "mail.send_mails"} {
		s.RunJob(job)
	}
}

// families are the metrics of the server, without those of Go and of the process.
func families(p page) []string {
	all := map[string]bool{}
	for name := range p.names() {
		for _, end := range []string{"_bucket", "_sum", "_count"} {
			if base, ok := strings.CutSuffix(name, end); ok && p.names()[base+"_bucket"] {
				name = base
			}
		}
		if strings.HasPrefix(name, "stoa_") {
			all[name] = true
		}
	}
	var out []string
	for name := range all {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

// TestNames checks the names of all metrics, which dashboards and alerts of operators use.
func TestNames(t *testing.T) {
	s := measured(t)
	scripted(t, s)
	p := scrape(t, s)
	want := `stoa_batch_size stoa_blob_operations_total stoa_build_info stoa_commit_duration_seconds stoa_commits_total
		stoa_db_connections stoa_db_query_duration_seconds stoa_db_wait_seconds_total stoa_delivery_seconds stoa_denied_total
		stoa_disk_free_bytes stoa_events_total stoa_http_in_flight stoa_http_request_bytes_total
		stoa_http_request_duration_seconds stoa_http_requests_total stoa_http_response_bytes_total
		stoa_job_due_seconds stoa_job_duration_seconds stoa_job_last_success_timestamp_seconds stoa_job_runs_total
		stoa_limited_total stoa_log_applied stoa_log_conflicts_total stoa_log_head stoa_log_lag_seconds stoa_logins_total
		stoa_mail_queue stoa_mail_sent_total stoa_messages_total stoa_poll_wake_delay_seconds stoa_polls_parked
		stoa_push_sent_total stoa_queue_expired_total stoa_queues stoa_sqlite_busy_total stoa_sqlite_wal_bytes
		stoa_storage_bytes stoa_thumbnails_seconds stoa_upload_bytes_total stoa_uploads_total stoa_users stoa_users_active
		stoa_view_bytes stoa_view_load_seconds stoa_views_loaded stoa_webhook_calls_total stoa_webhooks_received_total`
	if p.sum("stoa_build_info", "database", "sqlite") == 0 {
		want = strings.Replace(want, "stoa_sqlite_wal_bytes", "", 1)
	}
	got := families(p)
	for _, name := range strings.Fields(want) {
		if !slices.Contains(got, name) {
			t.Errorf("%s is missing", name)
		}
	}
	for _, name := range got {
		if !slices.Contains(strings.Fields(want), name) {
			t.Errorf("%s is new: add it here, and to a dashboard", name)
		}
	}
	for _, c := range []struct {
		name   string
		labels []string
		want   float64
	}{
		{"stoa_messages_total", []string{"kind", "channel"}, 2}, {"stoa_messages_total", []string{"kind", "direct"}, 1},
		{"stoa_uploads_total", []string{"outcome", "ok"}, 1}, {"stoa_upload_bytes_total", nil, 4},
		{"stoa_storage_bytes", []string{"kind", "files"}, 4}, {"stoa_blob_operations_total", []string{"operation", "put"}, 1},
		{"stoa_webhooks_received_total", []string{"service", "json"}, 1},
		{"stoa_logins_total", []string{"method", "api", "outcome", "ok"}, 1},
		{"stoa_logins_total", []string{"method", "api", "outcome", "failed"}, 1},
		{"stoa_users", []string{"kind", "person"}, 6}, {"stoa_users", []string{"kind", "bot"}, 1},
		{"stoa_job_runs_total", []string{"job", "events.sweep", "outcome", "ok"}, 1},
		{"stoa_events_total", []string{"type", "message"}, 3}, {"stoa_views_loaded", nil, 1},
	} {
		if got := p.sum(c.name, c.labels...); got != c.want {
			t.Errorf("%s%v is %v, want %v", c.name, c.labels, got, c.want)
		}
	}
}

// No label has a value that people write or choose, and all values are among those that their label lists.
func TestLabels(t *testing.T) {
	s := measured(t)
	scripted(t, s)
	for _, one := range scrape(t, s) {
		for name, value := range one.labels {
			if value == ports.OtherLabel {
				t.Errorf("%s has a value of %s that the label does not list: %v", one.name, name, one.labels)
			}
			for _, secret := range []string{"example.com", "general", "hello", "127.0.0.1"} {
				if strings.Contains(value, secret) {
					t.Errorf("%s{%s=%q} tells something about people", one.name, name, value)
				}
			}
		}
	}
}
