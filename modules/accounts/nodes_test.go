package accounts_test

import (
	"fmt"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
)

// TestCredentialsOfAnotherNode checks that a node accepts credentials that another node has just issued.
func TestCredentialsOfAnotherNode(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		here := startOn(t, url)
		there := here.Another()
		for i := range 5 {
			key := here.As("alice").Do("POST /users/me/api_key/regenerate").OK().String("api_key")
			there.WithKey("alice@example.com", key).Do("GET /users/me").OK()
			there.WithKey("alice@example.com", "not the key").Do("GET /users/me").Error(401, "UNAUTHORIZED", "Invalid API key")
			here.LogIn("alice")

			email, password := fmt.Sprintf("new%d@example.com", i), "correct horse battery"
			here.As("olga").Do("POST /users", "email", email, "full_name", fmt.Sprint("New ", i), "password", password).OK()
			there.Anonymous().Do("POST /fetch_api_key", "username", email, "password", password).OK()
		}
	})
}
