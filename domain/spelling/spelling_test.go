package spelling

import "testing"

func TestNearest(t *testing.T) {
	known := []string{"accounts", "drafts", "events", "linkifiers", "max_per_user", "disk", "s3"}
	for _, c := range []struct{ name, want string }{
		{"draft", "drafts"}, {"dratfs", "drafts"}, {"dsk", "disk"}, {"max_per_users", "max_per_user"},
		{"Linkifier", "linkifiers"}, {"acounts", "accounts"}, {"gcs", ""}, {"zzz", ""}, {"", ""}, {"ev\u00e9nts", "events"},
	} {
		if got := Nearest(c.name, known); got != c.want {
			t.Errorf("nearest to %q is %q, want %q", c.name, got, c.want)
		}
	}
}
