package bots_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
)

func TestStorage(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		s := start(t, url)
		one, two := makeBot(s, "alice", "one").client(), makeBot(s, "alice", "two").client()
		s.Skip()
		is := func(c *kittest.Client, want string, params ...string) {
			t.Helper()
			c.Do("GET /bot_storage", params...).Is(200, `{"result":"success","msg":"","storage":`+want+`}`)
		}
		const done = `{"result":"success","msg":""}`
		is(one, "{}")
		one.Do("PUT /bot_storage", "storage", `{"a":"1","ä \" '":"2\n","":"empty","d":""}`).Is(200, done)
		two.Do("PUT /bot_storage", "storage", `{"a":"other"}`).Is(200, done)
		is(one, `{"a":"1","ä \" '":"2\n","":"empty","d":""}`)
		one.Do("PUT /bot_storage", "storage", `{"a":"one","b":"3"}`).OK()
		is(one, `{"a":"one","":"empty"}`, "keys", `["a","","a"]`)
		is(one, `{}`, "keys", `[]`)
		one.Do("PUT /bot_storage", "storage", `{}`).OK()
		one.Do("GET /bot_storage", "keys", `["a","z"]`).Error(400, "BAD_REQUEST", "Key does not exist.")
		one.Do("GET /bot_storage", "keys", `["a\u0000"]`).Error(400, "BAD_REQUEST", "Key does not exist.")
		one.Do("DELETE /bot_storage", "keys", `["a","z"]`).Error(400, "BAD_REQUEST", "Key does not exist.")
		one.Do("DELETE /bot_storage", "keys", `["a","","a"]`).Is(200, done)
		one.Do("DELETE /bot_storage", "keys", `[]`).OK()
		is(one, `{"ä \" '":"2\n","d":"","b":"3"}`)
		s.Restart()
		one.Do("DELETE /bot_storage").Is(200, done)
		is(one, "{}")
		is(two, `{"a":"other"}`)
		for _, who := range []string{"alice", "olga", "guest"} {
			for _, call := range []string{"GET /bot_storage", "PUT /bot_storage", "DELETE /bot_storage"} {
				s.As(who).Do(call, "storage", "{}").Error(400, "PERMISSION_DENIED", "")
			}
		}
		one.Do("PUT /bot_storage").Error(400, "REQUEST_VARIABLE_MISSING", "storage")
		for _, bad := range []string{`[]`, `{"a":1}`, `{"a":null}`, `{"a":{}}`, `x`, `{"a":"\u0000"}`, `{"\u0000":"a"}`} {
			if a := one.Do("PUT /bot_storage", "storage", bad); a.Status != 400 {
				t.Errorf("%s: %d %s", bad, a.Status, a.Body)
			}
		}
		one.Do("GET /bot_storage", "keys", `"a"`).Error(400, "BAD_REQUEST", "keys is not a list")
		is(one, "{}")
		s.NoEvents()
	})
}

// A bot can store exactly as many characters as the limit, whichever requests it uses.
func TestStorageLimit(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		s := start(t, url, "max_storage: 100")
		c := makeBot(s, "alice", "one").client()
		put := func(key string, n int) *kittest.Response {
			return c.Do("PUT /bot_storage", "storage", `{"`+key+`":"`+strings.Repeat("ä", n)+`"}`) // characters, not bytes
		}
		const part = 25
		for _, k := range []string{"a", "b", "c", "d"} {
			put(k, part-1).OK()
		}
		put("e", 0).Error(400, "BAD_REQUEST", "A bot may store at most 100 characters.")
		put("d", part).Error(400, "BAD_REQUEST", "at most 100")
		put("d", part-2).OK()
		put("e", 0).OK()
		put("f", 0).Error(400, "BAD_REQUEST", "at most 100")
		c.Do("DELETE /bot_storage", "keys", `["a"]`).OK()
		put("ö", part-2).OK()
		put("f", 0).OK()
		put("g", 0).Error(400, "BAD_REQUEST", "at most 100")
		put("a", 100).Error(400, "BAD_REQUEST", "at most 100")
		if n := len(c.Do("GET /bot_storage", "keys", `["d"]`).OK().String("storage.d")); n != 2*(part-2) {
			t.Errorf("a refused request changed the stored value: %d", n)
		}
		c.Do("DELETE /bot_storage").OK()
		put("a", 99).OK()
	})
}

// A large value can be stored and read back; bodies have a separate limit.
func TestLargeStorage(t *testing.T) {
	s := start(t, kittest.DatabaseURL(t))
	c := makeBot(s, "alice", "one").client()
	text := strings.Repeat("x", 1_000_000)
	c.Do("PUT /bot_storage", "storage", `{"a":"`+text+`","b":"`+text+`"}`).OK()
	if c.Do("GET /bot_storage").OK().String("storage.b") != text {
		t.Error("the value read differs from the one written")
	}
	many := make(map[string]string, 5000)
	for i := range 5000 {
		many[fmt.Sprint("key ", i)] = "v"
	}
	c.Do("PUT /bot_storage", "storage", kittest.JSON(many)).OK()
	if n := len(c.Do("GET /bot_storage").OK().Get("storage").(map[string]any)); n != 5002 {
		t.Errorf("there are %d keys", n)
	}
	c.Do("PUT /bot_storage", "storage", `{"a":"`+strings.Repeat("x", 4<<20)+`"}`).Error(413, "REQUEST_TOO_LARGE", "")
}

// Concurrent writes are serialized: together they do not exceed the limit, and none is lost.
func TestConcurrentStorage(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		s := start(t, url, "max_storage: 100")
		c := makeBot(s, "alice", "one").client()
		var all sync.WaitGroup
		answers := make([]*kittest.Response, 12)
		for i := range answers {
			all.Go(func() {
				answers[i] = c.Do("PUT /bot_storage", "storage",
					fmt.Sprintf(`{"same":"%02[1]d","%02[1]d":"%[2]s"}`, i, strings.Repeat("x", 10)))
			})
		}
		all.Wait()
		stored := 0
		for _, a := range answers {
			if a.Status == 200 {
				stored++
			} else {
				a.Error(400, "BAD_REQUEST", "at most 100 characters")
			}
		}
		if got := len(c.Do("GET /bot_storage").OK().Get("storage").(map[string]any)); stored != 7 || got != stored+1 {
			t.Errorf("%d writes succeeded, and there are %d keys", stored, got)
		}
	})
}
