package openapi

import (
	"net/http"

	"github.com/stoachat/stoa/domain/session"
	"github.com/stoachat/stoa/modules/kit"
)

// Ways to authenticate, by the names of their schemes.
var (
	byKey       = map[string]any{"apiKey": []string{}}
	byKeyParam  = map[string]any{"apiKeyParameter": []string{}}
	bySession   = map[string]any{"session": []string{}, "csrf": []string{}}
	readSession = map[string]any{"session": []string{}} // for what changes nothing
	byNothing   = map[string]any{}
)

// securitySchemes are the ways to authenticate.
var securitySchemes = map[string]any{
	"apiKey": map[string]string{
		"type": "http", "scheme": "basic", "description": "The email address and the API key of a user or a bot.",
	},
	"apiKeyParameter": map[string]string{
		"type": "apiKey", "in": "query", "name": "api_key",
		"description": "The API key of an incoming webhook bot, for services that only know a URL.",
	},
	"session": map[string]string{
		"type": "apiKey", "in": "cookie", "name": session.CookieName(true),
		"description": "The session of a browser, under /json instead of /api/v1. Without HTTPS, the cookie is " +
			session.CookieName(false) + ".",
	},
	"csrf": map[string]string{
		"type": "apiKey", "in": "header", "name": "X-CSRFToken",
		"description": "The CSRF token of the session, which pages of the server have in the element meta csrf-token. " +
			"Requests that change something need it beside the cookie.",
	},
}

// security returns how callers of an operation authenticate; nil: as the document says.
func security(e kit.Endpoint) []map[string]any {
	var all []map[string]any
	switch {
	case e.KeyParam != "":
		return []map[string]any{byKey, byKeyParam}
	case e.Access.Open():
		return []map[string]any{byNothing}
	case e.Access.Spectating():
		all = append(all, byNothing)
	}
	all = append(all, byKey)
	switch mounted := e.Handler != nil; {
	case e.OnlyKeys || mounted && !e.EitherLogin:
		return all
	case e.Method == http.MethodGet || mounted:
		return append(all, readSession)
	case e.Access.Spectating():
		return append(all, bySession)
	}
	return nil
}
